// malloc: aligned to two pointers, apart from all others, as many bytes as asked for; size 0 gives a block of its own
#include <heapwright/tlsf.h>

#include "check.h"

enum { BLOCKS = 200 };

int main(void) {
    MEMORY(memory, 64 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 64 * KIB);
    CHECK(heap != NULL);
    static unsigned char *blocks[BLOCKS];
    for (unsigned i = 0; i < BLOCKS; i++) {
        blocks[i] = heapwright_tlsf_malloc(heap, i);
        CHECK(blocks[i] != NULL && aligned(blocks[i], GRAIN));
        CHECK(heapwright_tlsf_owns(heap, blocks[i]));
        size_t usable = heapwright_tlsf_block_size(blocks[i]);
        CHECK(usable >= i && usable < i + 4 * GRAIN);
        fill(blocks[i], usable, i);
    }
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    for (unsigned i = 0; i < BLOCKS; i += 2) heapwright_tlsf_free(heap, blocks[i]);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    for (unsigned i = 1; i < BLOCKS; i += 2) {
        CHECK(is_filled(blocks[i], heapwright_tlsf_block_size(blocks[i]), i));
        heapwright_tlsf_free(heap, blocks[i]);
    }
    heapwright_tlsf_free(heap, NULL);
    void *one = heapwright_tlsf_malloc(heap, 0), *other = heapwright_tlsf_malloc(heap, 0);
    CHECK(one != NULL && other != NULL && one != other);
    heapwright_tlsf_free(heap, one);
    heapwright_tlsf_free(heap, other);
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0 && stats.failures == 0);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    return 0;
}
