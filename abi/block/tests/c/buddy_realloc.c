// buddy realloc: contents kept, in place when it shrinks or the next power of two is free; NULL allocates, 0 frees
#include <heapwright/buddy.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 32 * KIB);
    heapwright_buddy *heap = heapwright_buddy_create(memory, 32 * KIB);
    unsigned char *block = heapwright_buddy_realloc(heap, NULL, 1, 0, 100);
    CHECK(block != NULL && aligned(block, 128));
    fill(block, 100, 1);
    CHECK(heapwright_buddy_realloc(heap, block, 1, 100, 128) == block);
    CHECK(heapwright_buddy_realloc(heap, block, 1, 128, 30) == block && is_filled(block, 30, 1));
    unsigned char *grown = heapwright_buddy_realloc(heap, block, 1, 30, 5000);
    CHECK(grown != NULL && is_filled(grown, 30, 1) && aligned(grown, 8192));
    CHECK(heapwright_buddy_realloc(heap, grown, 1, 5000, hide_size(SIZE_MAX)) == NULL);
    CHECK(heapwright_buddy_realloc(heap, grown, 1, 5000, hide_size(64 * KIB)) == NULL);
    CHECK(is_filled(grown, 30, 1) && heapwright_buddy_check(heap, NULL) == 0);
    CHECK(heapwright_buddy_realloc(heap, grown, 1, 5000, 0) == NULL);
    heapwright_block_stats stats;
    CHECK(heapwright_buddy_stats(heap, &stats) == 0 && stats.used == 0);
    for (size_t old = 1; old < 2000; old = old * 3 + 1)
        for (size_t new = 1; new < 4000; new = new * 2 + 1)
            for (size_t alignment = 1; alignment <= 256; alignment *= 4) {
                block = heapwright_buddy_memalign(heap, alignment, old);
                fill(block, old, 2);
                void *wall = heapwright_buddy_malloc(heap, 16);
                block = heapwright_buddy_realloc(heap, block, alignment, old, new);
                CHECK(block != NULL && aligned(block, alignment) && is_filled(block, old < new ? old : new, 2));
                CHECK(heapwright_buddy_check(heap, NULL) == 0);
                heapwright_buddy_free(heap, wall, 16);
                heapwright_buddy_free_aligned(heap, block, alignment, new);
            }
    CHECK(heapwright_buddy_stats(heap, &stats) == 0 && stats.used == 0);
    return 0;
}
