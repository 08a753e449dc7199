// malloc, calloc, memalign, realloc: a size above what the heap can have gives NULL, is counted, and changes nothing
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 64 * KIB);
    static const size_t lengths[] = {1024, 4096, 10000, 65536};
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        // What a cut control block does not have must not be read as part of it.
        set_all(memory, 64 * KIB, 0xA8);
        heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, lengths[l]);
        CHECK(heap != NULL);
        unsigned char *block = heapwright_tlsf_malloc(heap, 100);
        CHECK(block != NULL);
        fill(block, 100, 9);
        heapwright_block_stats before, after;
        CHECK(heapwright_tlsf_stats(heap, &before) == 0);
        size_t failures = before.failures;
        for (int bits = 1; bits <= (int)(8 * sizeof(size_t)); bits++) {
            size_t top = bits == (int)(8 * sizeof(size_t)) ? SIZE_MAX : ((size_t)1 << bits) - 1;
            for (size_t less = 0; less < 40; less++) {
                size_t size = hide_size(top - less);
                if (size < lengths[l] || size > top) continue;
                CHECK(heapwright_tlsf_malloc(heap, size) == NULL);
                CHECK(heapwright_tlsf_calloc(heap, 1, size) == NULL);
                CHECK(heapwright_tlsf_calloc(heap, size, 3) == NULL);
                CHECK(heapwright_tlsf_memalign(heap, 64, size) == NULL);
                CHECK(heapwright_tlsf_memalign(heap, 1, size) == NULL);
                CHECK(heapwright_tlsf_realloc(heap, block, size) == NULL);
                CHECK(heapwright_tlsf_realloc_aligned(heap, block, 256, size) == NULL);
                CHECK(heapwright_tlsf_malloc_at(heap, memory + lengths[l] / 2, size) == NULL);
                failures += 7;
            }
        }
        for (size_t alignment = GRAIN; alignment != 0; alignment *= 2)
            if (alignment > lengths[l]) {
                CHECK(heapwright_tlsf_memalign(heap, hide_size(alignment), 1) == NULL);
                failures++;
            }
        CHECK(heapwright_tlsf_calloc(heap, hide_size(SIZE_MAX / 2), 3) == NULL);
        failures++;
        CHECK(heapwright_tlsf_stats(heap, &after) == 0);
        CHECK(after.used == before.used && after.total == before.total && after.failures == failures);
        CHECK(is_filled(block, 100, 9));
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    }
    return 0;
}
