// add_pool, remove_pool: bad memory has its error; a pool in use stays; a pool removed is the caller's
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 64 * KIB);
    unsigned char *first = memory + 16 * KIB, *second = memory + 32 * KIB;
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(first, 8 * KIB);
    CHECK(heap != NULL);
    unsigned char *pool = heapwright_tlsf_get_pool(heap);
    CHECK(pool > first && pool < first + KIB && heapwright_tlsf_pool_size(heap, pool) == (size_t)(first + 8 * KIB - pool));
    CHECK(heapwright_tlsf_add_pool(heap, NULL, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_add_pool(heap, second, SIZE_MAX) == HEAPWRIGHT_BLOCK_WRAPS);
    CHECK(heapwright_tlsf_add_pool(heap, second, SIZE_MAX - (uintptr_t)second + 1) == HEAPWRIGHT_BLOCK_WRAPS);
    CHECK(heapwright_tlsf_add_pool(heap, second, 0) == HEAPWRIGHT_BLOCK_TOO_SMALL);
    CHECK(heapwright_tlsf_add_pool(heap, second, GRAIN) == HEAPWRIGHT_BLOCK_TOO_SMALL);
    // The control block was cut to the first memory.
    CHECK(heapwright_tlsf_add_pool(heap, second, 16 * KIB) == HEAPWRIGHT_BLOCK_TOO_LARGE);
    // The first pool, parts of it, around it; the control block.
    CHECK(heapwright_tlsf_add_pool(heap, first, 8 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_add_pool(heap, pool, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_add_pool(heap, first + 4 * KIB, 8 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_add_pool(heap, first + 8 * KIB - 1, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_add_pool(heap, first - 4 * KIB, 4 * KIB + 1) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_add_pool(heap, first - 4 * KIB, 4 * KIB + 64) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0);
    size_t before = stats.total;
    // As large as the first memory, at odd ends.
    for (size_t start = 0; start < 20; start++) {
        CHECK(heapwright_tlsf_add_pool(heap, second + start, 8 * KIB) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        CHECK(heapwright_tlsf_owns(heap, second + start) && heapwright_tlsf_owns(heap, second + start + 8 * KIB - 1));
        CHECK(!heapwright_tlsf_owns(heap, second + start - 1) && !heapwright_tlsf_owns(heap, second + start + 8 * KIB));
        CHECK(heapwright_tlsf_pool_size(heap, second + start) == 8 * KIB);
        unsigned char *large = heapwright_tlsf_malloc(heap, 8 * KIB - 200);
        CHECK(large > second && large < second + KIB);
        CHECK(heapwright_tlsf_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_IN_USE);
        CHECK(heapwright_tlsf_remove_pool(heap, second + start + 1) == HEAPWRIGHT_BLOCK_UNKNOWN);
        CHECK(heapwright_tlsf_remove_pool(heap, NULL) == HEAPWRIGHT_BLOCK_UNKNOWN);
        fill(large, 8 * KIB - 200, 1);
        heapwright_tlsf_free(heap, large);
        CHECK(heapwright_tlsf_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_tlsf_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_UNKNOWN);
        set_all(second, 16 * KIB, 0xFF);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.total == before);
    }
    CHECK(heapwright_tlsf_remove_pool(heap, pool) == HEAPWRIGHT_BLOCK_OK);
    CHECK(heapwright_tlsf_malloc(heap, 1) == NULL);
    CHECK(same_text(heapwright_block_error_text(HEAPWRIGHT_BLOCK_IN_USE), "a block in this memory is live"));
    CHECK(same_text(heapwright_block_error_text(HEAPWRIGHT_BLOCK_OK), "no error"));
    CHECK(same_text(heapwright_block_error_text(HEAPWRIGHT_BLOCK_STEP), "the step is not a power of two"));
    CHECK(same_text(heapwright_block_error_text(1), "not an error of heapwright"));
    CHECK(same_text(heapwright_block_error_text(-11), "not an error of heapwright"));
    for (int error = -12; error <= 1; error++) CHECK(heapwright_block_error_text(error) != NULL);
    return 0;
}
