// malloc_at: a block where it was asked for, if the memory there is free; NULL otherwise
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 16 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    unsigned char *wanted = memory + 8 * KIB;
    unsigned char *block = heapwright_tlsf_malloc_at(heap, wanted, 500);
    CHECK(block == wanted && heapwright_tlsf_block_size(block) >= 500);
    fill(block, 500, 1);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    CHECK(heapwright_tlsf_malloc_at(heap, wanted, 1) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, wanted + 64, 1) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, wanted - 256, 300) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, wanted + 1024 + 1, 8) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, NULL, 8) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, memory, 8) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, memory + 16 * KIB, 8) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, memory + 16 * KIB - GRAIN, 4 * GRAIN) == NULL);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    unsigned char *below = heapwright_tlsf_malloc_at(heap, wanted - 256, 256 - WORD);
    CHECK(below == wanted - 256);
    fill(below, 256 - WORD, 2);
    CHECK(is_filled(block, 500, 1));
    heapwright_tlsf_free(heap, block);
    heapwright_tlsf_free(heap, below);
    CHECK(heapwright_tlsf_malloc_at(heap, wanted, 500) == wanted);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    return 0;
}
