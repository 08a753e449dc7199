// realloc_aligned: the result has the alignment, whatever the block's was, and the contents
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 32 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 32 * KIB);
    for (size_t alignment = 1; alignment <= 1024; alignment *= 2) {
        for (size_t old = 1; old < 1500; old = old * 2 + 3) {
            for (size_t new = 1; new < 3000; new = new * 3 + 1) {
                void *front = heapwright_tlsf_malloc(heap, old % 100);
                unsigned char *block = heapwright_tlsf_malloc(heap, old);
                void *behind = heapwright_tlsf_malloc(heap, 1);
                if (new % 2) heapwright_tlsf_free(heap, front);
                fill(block, old, 7);
                block = heapwright_tlsf_realloc_aligned(heap, block, alignment, new);
                CHECK(block != NULL && aligned(block, alignment) && is_filled(block, old < new ? old : new, 7));
                CHECK(heapwright_tlsf_block_size(block) >= new);
                block = heapwright_tlsf_realloc_aligned(heap, block, alignment, old);
                CHECK(block != NULL && aligned(block, alignment) && is_filled(block, old < new ? old : new, 7));
                CHECK(heapwright_tlsf_check(heap, NULL) == 0);
                if (new % 2 == 0) heapwright_tlsf_free(heap, front);
                heapwright_tlsf_free(heap, behind);
                CHECK(heapwright_tlsf_realloc_aligned(heap, block, 3, new) == NULL);
                CHECK(heapwright_tlsf_realloc_aligned(heap, block, 0, 0) == NULL);
                CHECK(heapwright_tlsf_realloc_aligned(heap, block, alignment, hide_size(0)) == NULL);
            }
        }
    }
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);
    unsigned char *block = heapwright_tlsf_realloc_aligned(heap, NULL, 512, 10);
    CHECK(block != NULL && aligned(block, 512));
    return 0;
}
