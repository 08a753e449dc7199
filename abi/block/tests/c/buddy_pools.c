// buddy add_pool, remove_pool, reset, walk: bad memory has its error; a pool in use stays
#include <heapwright/buddy.h>

#include "check.h"

static int sum(void *block, size_t size, int used, void *user) {
    (void)block;
    if (used) *(size_t *)user += size;
    return 0;
}

static int stop(void *block, size_t size, int used, void *user) {
    (void)block, (void)size, (void)used, (void)user;
    return 42;
}

int main(void) {
    MEMORY(memory, 48 * KIB);
    unsigned char *first = memory + 8 * KIB, *second = memory + 20 * KIB;
    heapwright_buddy *heap = heapwright_buddy_create(first, 4 * KIB);
    unsigned char *pool = heapwright_buddy_get_pool(heap);
    CHECK(pool == first + heapwright_buddy_size());
    CHECK(heapwright_buddy_add_pool(heap, NULL, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_buddy_add_pool(heap, second, SIZE_MAX) == HEAPWRIGHT_BLOCK_WRAPS);
    CHECK(heapwright_buddy_add_pool(heap, second, 0) == HEAPWRIGHT_BLOCK_TOO_SMALL);
    CHECK(heapwright_buddy_add_pool(heap, second, 2 * GRAIN) == HEAPWRIGHT_BLOCK_TOO_SMALL);
    CHECK(heapwright_buddy_add_pool(heap, first, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_buddy_add_pool(heap, first - 1000, 1010) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_buddy_add_pool(heap, first + 4 * KIB - 1, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    for (size_t start = 0; start < 20; start++) {
        CHECK(heapwright_buddy_add_pool(heap, second + start, 16 * KIB) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_buddy_check(heap, NULL) == 0);
        // Wherever the memory lies, 16 KiB have 4 KiB at a multiple of that, and the first pool has not.
        unsigned char *large = heapwright_buddy_malloc(heap, 3 * KIB);
        CHECK(large > second && large < second + 16 * KIB && heapwright_buddy_owns(heap, large));
        size_t used = 0;
        CHECK(heapwright_buddy_walk(heap, sum, &used) == 0 && used == 4 * KIB);
        CHECK(heapwright_buddy_walk(heap, stop, NULL) == 42);
        CHECK(heapwright_buddy_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_IN_USE);
        CHECK(heapwright_buddy_remove_pool(heap, second + start + 1) == HEAPWRIGHT_BLOCK_UNKNOWN);
        heapwright_buddy_free(heap, large, 3 * KIB);
        CHECK(heapwright_buddy_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_OK);
        CHECK(!heapwright_buddy_owns(heap, second + start + 4 * KIB));
        set_all(second, 16 * KIB + start, 0xFF);
        CHECK(heapwright_buddy_check(heap, NULL) == 0);
    }
    while (heapwright_buddy_malloc(heap, 100) != NULL) {}
    CHECK(heapwright_buddy_remove_pool(heap, pool) == HEAPWRIGHT_BLOCK_IN_USE);
    heapwright_buddy_reset(heap);
    heapwright_block_stats stats;
    CHECK(heapwright_buddy_stats(heap, &stats) == 0 && stats.used == 0 && heapwright_buddy_check(heap, NULL) == 0);
    CHECK(heapwright_buddy_remove_pool(heap, pool) == HEAPWRIGHT_BLOCK_OK);
    CHECK(heapwright_buddy_malloc(heap, 1) == NULL);
    return 0;
}
