// calloc: the bytes are zero also where they were used before; a product that overflows gives NULL
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 16 * KIB);
    set_all(memory, 16 * KIB, 0xAA);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    for (size_t size = 0; size < 3000; size += 7) {
        void *block = heapwright_tlsf_calloc(heap, 3, size);
        CHECK(block != NULL && is_all(block, 3 * size, 0));
        set_all(block, 3 * size, 0xAA);
        heapwright_tlsf_free(heap, block);
    }
    CHECK(heapwright_tlsf_calloc(heap, hide_size(SIZE_MAX / 2 + 2), 2) == NULL);
    CHECK(heapwright_tlsf_calloc(heap, 2, hide_size(SIZE_MAX / 2 + 2)) == NULL);
    CHECK(heapwright_tlsf_calloc(heap, hide_size(SIZE_MAX), hide_size(SIZE_MAX)) == NULL);
    void *none = heapwright_tlsf_calloc(heap, 0, 100);
    CHECK(none != NULL);
    heapwright_tlsf_free(heap, none);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    return 0;
}
