// buddy: NULL, a size above what the heap can have, an alignment that is none: the NULL, the 0 or the error, and nothing changes
#include <heapwright/buddy.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 8 * KIB);
    heapwright_block_stats stats;
    heapwright_buddy *heap = hide(NULL);
    CHECK(heapwright_buddy_malloc(heap, 10) == NULL);
    CHECK(heapwright_buddy_calloc(heap, 10, 10) == NULL);
    CHECK(heapwright_buddy_memalign(heap, 64, 10) == NULL);
    CHECK(heapwright_buddy_realloc(heap, memory, 1, 10, 20) == NULL);
    CHECK(heapwright_buddy_realloc(heap, memory, 1, 10, 0) == NULL);
    heapwright_buddy_free(heap, memory, 10);
    heapwright_buddy_free_aligned(heap, memory, 64, 10);
    heapwright_buddy_reset(heap);
    CHECK(heapwright_buddy_owns(heap, memory) == 0 && heapwright_buddy_get_pool(heap) == NULL);
    CHECK(heapwright_buddy_add_pool(heap, memory, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_buddy_remove_pool(heap, memory) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_buddy_stats(heap, &stats) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_buddy_check(heap, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_buddy_walk(heap, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);

    heap = heapwright_buddy_create(memory, 8 * KIB);
    CHECK(heapwright_buddy_stats(heap, NULL) == HEAPWRIGHT_BLOCK_NULL && heapwright_buddy_walk(heap, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);
    size_t failures = 0;
    for (int bits = 13; bits <= (int)(8 * sizeof(size_t)); bits++) {
        size_t top = bits == (int)(8 * sizeof(size_t)) ? SIZE_MAX : ((size_t)1 << bits) - 1;
        for (size_t less = 0; less < 40; less++) {
            CHECK(heapwright_buddy_malloc(heap, hide_size(top - less)) == NULL);
            CHECK(heapwright_buddy_calloc(heap, hide_size(top - less), 3) == NULL);
            CHECK(heapwright_buddy_memalign(heap, 64, hide_size(top - less)) == NULL);
            failures += 3;
        }
    }
    for (size_t alignment = 8 * KIB; alignment != 0; alignment *= 2) {
        CHECK(heapwright_buddy_memalign(heap, hide_size(alignment), 1) == NULL);
        failures++;
    }
    CHECK(heapwright_buddy_stats(heap, &stats) == 0 && stats.used == 0 && stats.failures == failures);
    static const size_t wrong[] = {0, 3, 6, 100, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(heapwright_buddy_memalign(heap, hide_size(wrong[i]), 8) == NULL);
        CHECK(heapwright_buddy_block_size(hide_size(wrong[i]), 8) == 0);
    }
    CHECK(heapwright_buddy_block_size(1, SIZE_MAX) == 0 && heapwright_buddy_block_size(1, 0) == GRAIN);
    CHECK(heapwright_buddy_check(heap, NULL) == 0);
    return 0;
}
