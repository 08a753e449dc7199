// fit: first takes the lowest hole, next the one behind the last, best the smallest, worst the largest
#include <heapwright/fit.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 8 * KIB);
    // Holes of 64, 256 and 128 bytes with walls between, then the rest, which is the largest.
    static const size_t sizes[] = {64, 256, 128};
    for (int policy = 0; policy < 4; policy++) {
        heapwright_fit *heap = heapwright_fit_create(memory, 8 * KIB, policy);
        unsigned char *holes[3];
        for (size_t i = 0; i < 3; i++) {
            holes[i] = heapwright_fit_malloc(heap, sizes[i]);
            CHECK(heapwright_fit_malloc(heap, 8) != NULL);
        }
        unsigned char *last = heapwright_fit_malloc(heap, 8);
        for (size_t i = 0; i < 3; i++) heapwright_fit_free(heap, holes[i]);
        unsigned char *got = heapwright_fit_malloc(heap, 100);
        switch (policy) {
        case HEAPWRIGHT_FIT_FIRST:
            CHECK(got == holes[1]);
            break;
        case HEAPWRIGHT_FIT_BEST:
            CHECK(got == holes[2]);
            break;
        default:
            CHECK(got > last);
        }
        if (policy == HEAPWRIGHT_FIT_NEXT) {
            // Round: what is behind is too small, and the first hole that fits is the lowest.
            heapwright_block_stats stats;
            CHECK(heapwright_fit_stats(heap, &stats) == 0);
            CHECK(heapwright_fit_malloc(heap, stats.largest_free) != NULL);
            CHECK(heapwright_fit_malloc(heap, 30) == holes[0]);
            CHECK(heapwright_fit_malloc(heap, 30) != NULL);
        }
        CHECK(heapwright_fit_check(heap, NULL) == 0);
    }
    return 0;
}
