// create: no block before a pool is added; pools of any size may follow
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(control, 4 * KIB);
    MEMORY(pool, 32 * KIB);
    size_t size = heapwright_tlsf_size();
    CHECK(size <= 4 * KIB - 16);
    CHECK(heapwright_tlsf_create(NULL, size) == NULL);
    CHECK(heapwright_tlsf_create(control, 0) == NULL);
    CHECK(heapwright_tlsf_create(control, size - GRAIN) == NULL);
    CHECK(heapwright_tlsf_create((void *)(UINTPTR_MAX - 64), size) == NULL);
    for (size_t start = 0; start < 16; start++) {
        set_all(control, 4 * KIB, 0xAA);
        heapwright_tlsf *heap = heapwright_tlsf_create(control + start, size);
        CHECK(heap != NULL);
        CHECK(is_all(control, start, 0xAA) && is_all(control + start + size, 4 * KIB - size - start, 0xAA));
        CHECK(heapwright_tlsf_malloc(heap, 1) == NULL);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        CHECK(heapwright_tlsf_add_pool(heap, pool, 32 * KIB) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_tlsf_add_pool(heap, control, start + 200) != HEAPWRIGHT_BLOCK_OK);
        char *block = heapwright_tlsf_malloc(heap, 20 * KIB);
        CHECK(block != NULL);
        fill(block, 20 * KIB, 3);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        heapwright_tlsf_free(heap, block);
        CHECK(heapwright_tlsf_remove_pool(heap, pool) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_tlsf_malloc(heap, 1) == NULL);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    }
    return 0;
}
