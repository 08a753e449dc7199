// memalign: every power of two is met, the size need not be a multiple; an alignment that is none gives NULL
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 64 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 64 * KIB);
    unsigned char *blocks[12];
    for (size_t size = 0; size < 2000; size += 97) {
        for (unsigned i = 0; i < 12; i++) {
            size_t alignment = (size_t)1 << i;
            blocks[i] = heapwright_tlsf_memalign(heap, alignment, size);
            CHECK(blocks[i] != NULL && aligned(blocks[i], alignment) && aligned(blocks[i], GRAIN));
            CHECK(heapwright_tlsf_block_size(blocks[i]) >= size);
            fill(blocks[i], size, i);
        }
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        for (unsigned i = 0; i < 12; i++) {
            CHECK(is_filled(blocks[i], size, i));
            heapwright_tlsf_free(heap, blocks[i]);
        }
        heapwright_block_stats stats;
        CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);
    }
    static const size_t wrong[] = {0, 3, 6, 12, 100, SIZE_MAX, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(heapwright_tlsf_memalign(heap, hide_size(wrong[i]), 8) == NULL);
        CHECK(heapwright_tlsf_realloc_aligned(heap, NULL, hide_size(wrong[i]), 8) == NULL);
    }
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    return 0;
}
