// create_with_pool: memory that is NULL, too small or goes round gives NULL; any other address and length does, and nothing outside is touched
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 8 * KIB);
    CHECK(heapwright_tlsf_create_with_pool(NULL, 4096) == NULL);
    CHECK(heapwright_tlsf_create_with_pool(memory, 0) == NULL);
    CHECK(heapwright_tlsf_create_with_pool(memory, SIZE_MAX) == NULL);
    CHECK(heapwright_tlsf_create_with_pool(memory, SIZE_MAX - (uintptr_t)memory + 1) == NULL);
    CHECK(heapwright_tlsf_create_with_pool((void *)(UINTPTR_MAX - 7), 4096) == NULL);
    size_t smallest = 0;
    for (size_t length = 0; length < 4 * KIB; length++) {
        size_t start = length % 67;
        set_all(memory, 8 * KIB, 0xAA);
        heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory + 64 + start, length);
        CHECK(is_all(memory, 64 + start, 0xAA));
        CHECK(is_all(memory + 64 + start + length, 4 * KIB - start - 64, 0xAA));
        if (!heap) {
            // Padding at both ends and the control block's length differ by a grain each.
            CHECK(smallest == 0 || length < smallest + 3 * GRAIN);
            continue;
        }
        if (!smallest) smallest = length;
        CHECK((unsigned char *)heap >= memory + 64 + start && (unsigned char *)heap < memory + 64 + start + length);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        // What it has can be had, in the smallest pieces and in one.
        unsigned char *last = NULL, *block;
        while ((block = heapwright_tlsf_malloc(heap, WORD)) != NULL) {
            CHECK(block > memory + 64 + start && block + WORD <= memory + 64 + start + length);
            CHECK(aligned(block, heapwright_tlsf_align()));
            *(unsigned char **)(void *)block = last;
            last = block;
        }
        CHECK(last != NULL);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        while ((block = last) != NULL) {
            last = *(unsigned char **)(void *)block;
            heapwright_tlsf_free(heap, block);
        }
        heapwright_block_stats stats;
        CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);
        block = heapwright_tlsf_malloc(heap, stats.largest_free);
        CHECK(block != NULL);
        fill(block, stats.largest_free, 1);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        CHECK(is_all(memory, 64 + start, 0xAA));
        CHECK(is_all(memory + 64 + start + length, 4 * KIB - start - 64, 0xAA));
    }
    CHECK(smallest > 0 && smallest < KIB);
    return 0;
}
