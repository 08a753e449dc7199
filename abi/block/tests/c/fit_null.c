// fit: a heap that is NULL: the NULL, the 0 or the error, and nothing happens
#include <heapwright/fit.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 4 * KIB);
    heapwright_fit *heap = hide(NULL);
    heapwright_block_stats stats;
    CHECK(heapwright_fit_malloc(heap, 10) == NULL);
    CHECK(heapwright_fit_calloc(heap, 10, 10) == NULL);
    CHECK(heapwright_fit_memalign(heap, 64, 10) == NULL);
    CHECK(heapwright_fit_realloc(heap, memory, 0) == NULL);
    CHECK(heapwright_fit_realloc_aligned(heap, memory, 64, 10) == NULL);
    heapwright_fit_free(heap, NULL);
    heapwright_fit_free(heap, memory);
    heapwright_fit_reset(heap);
    CHECK(heapwright_fit_block_size(heap, memory) == 0);
    CHECK(heapwright_fit_owns(heap, memory) == 0);
    CHECK(heapwright_fit_get_pool(heap) == NULL);
    CHECK(heapwright_fit_add_pool(heap, memory, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_fit_remove_pool(heap, memory) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_fit_stats(heap, &stats) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_fit_check(heap, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_fit_walk(heap, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);
    heap = heapwright_fit_create(memory, 4 * KIB, HEAPWRIGHT_FIT_FIRST);
    heapwright_fit_free(heap, NULL);
    CHECK(heapwright_fit_block_size(heap, NULL) == 0);
    CHECK(heapwright_fit_stats(heap, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_fit_walk(heap, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);
    return 0;
}
