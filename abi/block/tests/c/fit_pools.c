// fit add_pool, remove_pool: bad memory has its error; a pool in use stays; a pool removed is the caller's
#include <heapwright/fit.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 32 * KIB);
    unsigned char *first = memory + 8 * KIB, *second = memory + 20 * KIB;
    for (int policy = 0; policy < 4; policy++) {
        heapwright_fit *heap = heapwright_fit_create(first, 4 * KIB, policy);
        unsigned char *pool = heapwright_fit_get_pool(heap);
        CHECK(pool == first + heapwright_fit_size());
        CHECK(heapwright_fit_add_pool(heap, NULL, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
        CHECK(heapwright_fit_add_pool(heap, second, SIZE_MAX) == HEAPWRIGHT_BLOCK_WRAPS);
        CHECK(heapwright_fit_add_pool(heap, second, 0) == HEAPWRIGHT_BLOCK_TOO_SMALL);
        CHECK(heapwright_fit_add_pool(heap, second, 2 * GRAIN) == HEAPWRIGHT_BLOCK_TOO_SMALL);
        CHECK(heapwright_fit_add_pool(heap, first, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
        CHECK(heapwright_fit_add_pool(heap, first - 1000, 1010) == HEAPWRIGHT_BLOCK_OVERLAPS);
        CHECK(heapwright_fit_add_pool(heap, first - 1000, 1000) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_fit_remove_pool(heap, first - 1000) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_fit_add_pool(heap, first + 4 * KIB - 1, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
        for (size_t start = 0; start < 20; start++) {
            CHECK(heapwright_fit_add_pool(heap, second + start, 8 * KIB) == HEAPWRIGHT_BLOCK_OK);
            CHECK(heapwright_fit_owns(heap, second + start) && !heapwright_fit_owns(heap, second + start - 1));
            unsigned char *large = heapwright_fit_malloc(heap, 8 * KIB - 200);
            CHECK(large > second && large < second + KIB);
            CHECK(heapwright_fit_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_IN_USE);
            CHECK(heapwright_fit_remove_pool(heap, second + start + 1) == HEAPWRIGHT_BLOCK_UNKNOWN);
            fill(large, 8 * KIB - 200, 1);
            heapwright_fit_free(heap, large);
            CHECK(heapwright_fit_remove_pool(heap, second + start) == HEAPWRIGHT_BLOCK_OK);
            set_all(second, 8 * KIB, 0xFF);
            CHECK(heapwright_fit_check(heap, NULL) == 0);
        }
        CHECK(heapwright_fit_remove_pool(heap, pool) == HEAPWRIGHT_BLOCK_OK);
        CHECK(heapwright_fit_malloc(heap, 1) == NULL);
    }
    return 0;
}
