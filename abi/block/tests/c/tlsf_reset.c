// reset: every block is free again, pools stay
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 32 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    CHECK(heapwright_tlsf_add_pool(heap, memory + 16 * KIB, 8 * KIB) == 0);
    heapwright_block_stats before, after;
    CHECK(heapwright_tlsf_stats(heap, &before) == 0);
    for (int round = 0; round < 5; round++) {
        for (size_t size = 1; heapwright_tlsf_malloc(heap, size) != NULL; size += 11) {}
        heapwright_tlsf_reset(heap);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        CHECK(heapwright_tlsf_stats(heap, &after) == 0);
        CHECK(after.used == 0 && after.total == before.total && after.largest_free == before.largest_free);
    }
    CHECK(heapwright_tlsf_remove_pool(heap, memory + 16 * KIB) == 0);
    return 0;
}
