// check, check_pool: 0 when all is well; what a write past the end broke is found and named
// not: canaries
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 16 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    size_t *block = heapwright_tlsf_malloc(heap, 100), *behind = heapwright_tlsf_malloc(heap, 100);
    CHECK(block != NULL && behind != NULL);
    heapwright_block_broken broken = {NULL, 0, 0};
    CHECK(heapwright_tlsf_check(heap, &broken) == HEAPWRIGHT_BLOCK_OK && broken.invariant == NULL);
    CHECK(heapwright_tlsf_check_pool(heap, heapwright_tlsf_get_pool(heap), &broken) == HEAPWRIGHT_BLOCK_OK);
    CHECK(heapwright_tlsf_check_pool(heap, memory, &broken) == HEAPWRIGHT_BLOCK_UNKNOWN);
    size_t *header = block + heapwright_tlsf_block_size(block) / WORD;
    CHECK(header == behind - 1);
    size_t kept = *header;
    *header ^= 64;
    CHECK(heapwright_tlsf_check(heap, &broken) == HEAPWRIGHT_BLOCK_BROKEN);
    CHECK(broken.invariant != NULL && broken.invariant_len > 10);
    size_t dash = 0;
    while (dash < 10 && broken.invariant[dash] != '-') dash++;
    CHECK(broken.invariant[dash + 1] == 'T'); /* such as block-T1 */
    CHECK(heapwright_tlsf_check(heap, NULL) == HEAPWRIGHT_BLOCK_BROKEN);
    CHECK(heapwright_tlsf_check_pool(heap, heapwright_tlsf_get_pool(heap), NULL) == HEAPWRIGHT_BLOCK_BROKEN);
    *header = kept;
    CHECK(heapwright_tlsf_check(heap, &broken) == HEAPWRIGHT_BLOCK_OK);
    return 0;
}
