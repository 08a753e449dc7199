// fit check: 0 when all is well; what a write past the end broke is found and named
#include <heapwright/fit.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 4 * KIB);
    for (int policy = 0; policy < 4; policy++) {
        heapwright_fit *heap = heapwright_fit_create(memory, 4 * KIB, policy);
        size_t *block = heapwright_fit_malloc(heap, 100);
        heapwright_block_broken broken = {NULL, 0, 0};
        CHECK(heapwright_fit_malloc(heap, 100) != NULL && heapwright_fit_check(heap, &broken) == 0 && broken.invariant == NULL);
        size_t *header = block + heapwright_fit_block_size(heap, block) / WORD, kept = *header;
        *header ^= 64;
        CHECK(heapwright_fit_check(heap, &broken) == HEAPWRIGHT_BLOCK_BROKEN);
        CHECK(broken.invariant != NULL && broken.invariant_len > 10);
        *header = kept;
        CHECK(heapwright_fit_check(heap, NULL) == 0);
    }
    return 0;
}
