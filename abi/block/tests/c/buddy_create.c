// buddy create: memory that is NULL, too small or goes round gives NULL; nothing outside is touched
#include <heapwright/buddy.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 4 * KIB);
    CHECK(heapwright_buddy_create(NULL, 4096) == NULL);
    CHECK(heapwright_buddy_create(memory, 0) == NULL);
    CHECK(heapwright_buddy_create(memory, SIZE_MAX) == NULL);
    CHECK(heapwright_buddy_create(memory, SIZE_MAX - (uintptr_t)memory + 1) == NULL);
    CHECK(heapwright_buddy_create((void *)(UINTPTR_MAX - 7), 4096) == NULL);
    size_t smallest = 0;
    for (size_t length = 0; length < 2000; length++) {
        size_t start = 64 + length % 67;
        set_all(memory, 4 * KIB, 0xAA);
        heapwright_buddy *heap = heapwright_buddy_create(memory + start, length);
        CHECK(is_all(memory + start + length, KIB, 0xAA) && is_all(memory, start, 0xAA));
        if (!heap) {
            CHECK(smallest == 0 || length < smallest + 3 * GRAIN);
            continue;
        }
        if (!smallest) smallest = length;
        CHECK(heapwright_buddy_check(heap, NULL) == 0);
        unsigned char *block;
        while ((block = heapwright_buddy_malloc(heap, 1)) != NULL) {
            CHECK(aligned(block, GRAIN) && block > memory + start && block + GRAIN <= memory + start + length);
            fill(block, GRAIN, 1);
        }
        heapwright_block_stats stats;
        CHECK(heapwright_buddy_stats(heap, &stats) == 0 && stats.used == stats.total && stats.failures == 1);
        CHECK(is_all(memory + start + length, KIB, 0xAA) && is_all(memory, start, 0xAA));
        CHECK(heapwright_buddy_check(heap, NULL) == 0);
    }
    CHECK(smallest > 0 && smallest < 100 * WORD);
    return 0;
}
