// HEAPWRIGHT_SHORT_NAMES: a program written for the usual names works
#define HEAPWRIGHT_SHORT_NAMES
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 32 * KIB);
    MEMORY(control, 4 * KIB);
    CHECK(tlsf_size() <= 4 * KIB);
    tlsf_t tlsf = tlsf_create(control);
    CHECK(tlsf != NULL && tlsf_malloc(tlsf, 10) == NULL);
    pool_t pool = tlsf_add_pool(tlsf, memory, 8 * KIB);
    CHECK(pool == memory && tlsf_add_pool(tlsf, memory, 8 * KIB) == NULL);
    void *block = tlsf_malloc(tlsf, 100);
    CHECK(tlsf_block_size(block) >= 100);
    block = tlsf_realloc(tlsf, block, 300);
    CHECK(block != NULL && tlsf_block_size(block) >= 300);
    void *aligned_block = tlsf_memalign(tlsf, 256, 10);
    CHECK(aligned(aligned_block, 256) && tlsf_check(tlsf) == 0);
    tlsf_free(tlsf, aligned_block);
    tlsf_free(tlsf, block);
    tlsf_remove_pool(tlsf, pool);
    CHECK(tlsf_malloc(tlsf, 10) == NULL);
    tlsf_destroy(tlsf);
    tlsf = tlsf_create_with_pool(memory, 8 * KIB);
    CHECK(tlsf != NULL && tlsf_get_pool(tlsf) != NULL);
    CHECK(tlsf_align_size() == GRAIN && tlsf_block_size_min() >= WORD && tlsf_block_size_max() > 8 * KIB);
    CHECK(tlsf_pool_overhead() == 4 * WORD && tlsf_alloc_overhead() == WORD);
    return 0;
}
