// realloc: contents kept, in place both ways where it can be; NULL allocates, 0 frees, a failure leaves the block
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 16 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    heapwright_block_stats stats;
    unsigned char *block = heapwright_tlsf_realloc(heap, NULL, 100);
    CHECK(block != NULL);
    fill(block, 100, 1);
    // Upward: the memory behind is free.
    CHECK(heapwright_tlsf_realloc(heap, block, 1000) == block && is_filled(block, 100, 1));
    CHECK(heapwright_tlsf_block_size(block) >= 1000);
    fill(block, 1000, 2);
    CHECK(heapwright_tlsf_realloc(heap, block, 64) == block && is_filled(block, 64, 2));
    CHECK(heapwright_tlsf_block_size(block) < 128);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    // Elsewhere: what is behind is in use.
    unsigned char *behind = heapwright_tlsf_malloc(heap, 200);
    fill(behind, 200, 3);
    unsigned char *moved = heapwright_tlsf_realloc(heap, block, 2000);
    CHECK(moved != NULL && moved != block && is_filled(moved, 64, 2) && is_filled(behind, 200, 3));
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    // Downward: the memory in front is free, that behind is not.
    fill(behind, 200, 4);
    unsigned char *down = heapwright_tlsf_realloc(heap, behind, 200 + 64);
    CHECK(down != NULL && is_filled(down, 200, 4));
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    // Too large: nothing changes.
    fill(down, 264, 5);
    CHECK(heapwright_tlsf_realloc(heap, down, hide_size(20 * KIB)) == NULL);
    CHECK(heapwright_tlsf_realloc(heap, down, hide_size(SIZE_MAX)) == NULL);
    CHECK(is_filled(down, 264, 5));
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    // Size 0 frees.
    CHECK(heapwright_tlsf_realloc(heap, down, hide_size(0)) == NULL);
    CHECK(heapwright_tlsf_realloc(heap, moved, hide_size(0)) == NULL);
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);
    void *none = heapwright_tlsf_realloc(heap, NULL, hide_size(0));
    CHECK(none != NULL);
    heapwright_tlsf_free(heap, none);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    // Every size to every other.
    for (size_t old = 0; old < 600; old += 13) {
        for (size_t new = 1; new < 600; new += 17) {
            block = heapwright_tlsf_malloc(heap, old);
            fill(block, old, 6);
            behind = heapwright_tlsf_malloc(heap, 1);
            block = heapwright_tlsf_realloc(heap, block, new);
            CHECK(block != NULL && heapwright_tlsf_block_size(block) >= new && is_filled(block, old < new ? old : new, 6));
            heapwright_tlsf_free(heap, behind);
            heapwright_tlsf_free(heap, block);
        }
    }
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    return 0;
}
