// buddy: blocks of powers of two at multiples of themselves, nothing written into them, joined again when freed
#include <heapwright/buddy.h>

#include "check.h"

enum { BLOCKS = 12 };

int main(void) {
    MEMORY(memory, 64 * KIB);
    heapwright_buddy *heap = heapwright_buddy_create(memory, 64 * KIB);
    heapwright_block_stats before, after;
    CHECK(heapwright_buddy_stats(heap, &before) == 0 && before.used == 0 && before.largest_free >= 16 * KIB);
    unsigned char *blocks[BLOCKS];
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = i * i * 20, whole = heapwright_buddy_block_size(1, size);
        CHECK(whole >= size && whole >= GRAIN && (whole & (whole - 1)) == 0 && (whole < 2 * size || whole == GRAIN));
        blocks[i] = heapwright_buddy_malloc(heap, size);
        CHECK(blocks[i] != NULL && aligned(blocks[i], whole));
        fill(blocks[i], whole, (unsigned)i);
    }
    CHECK(heapwright_buddy_check(heap, NULL) == 0);
    for (size_t i = 0; i < BLOCKS; i++) {
        size_t size = i * i * 20;
        CHECK(is_filled(blocks[i], heapwright_buddy_block_size(1, size), (unsigned)i));
        heapwright_buddy_free(heap, blocks[i], size);
        CHECK(heapwright_buddy_check(heap, NULL) == 0);
    }
    heapwright_buddy_free(heap, NULL, 100);
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        unsigned char *block = heapwright_buddy_memalign(heap, alignment, 50);
        CHECK(block != NULL && aligned(block, alignment));
        heapwright_buddy_free_aligned(heap, block, alignment, 50);
    }
    unsigned char *zero = heapwright_buddy_calloc(heap, 7, 30);
    CHECK(zero != NULL && is_all(zero, 210, 0));
    heapwright_buddy_free(heap, zero, 210);
    CHECK(heapwright_buddy_stats(heap, &after) == 0 && after.used == 0 && after.largest_free == before.largest_free);
    CHECK(after.peak > 0 && after.failures == 0);
    return 0;
}
