// control_size, overheads, least and largest block: what they say is so
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 256 * KIB);
    size_t grain = heapwright_tlsf_align(), least = heapwright_tlsf_block_size_min();
    CHECK(grain == GRAIN && heapwright_tlsf_alloc_overhead() == WORD && (least == WORD || least == 3 * WORD));
    CHECK(heapwright_tlsf_block_size_max() >= (size_t)1 << 22);
    for (size_t bytes = 600; bytes <= 256 * KIB; bytes += 16 + bytes / 50 / 16 * 16) {
        heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, bytes);
        if (!heap) continue;
        size_t control = heapwright_tlsf_control_size(bytes);
        heapwright_block_stats stats;
        CHECK(heapwright_tlsf_get_pool(heap) == memory + control);
        CHECK(heapwright_tlsf_pool_size(heap, memory + control) == bytes - control);
        CHECK(control <= heapwright_tlsf_size());
        CHECK(heapwright_tlsf_stats(heap, &stats) == 0);
        CHECK(stats.total == (bytes - control - heapwright_tlsf_pool_overhead()) / grain * grain);
        void *block = heapwright_tlsf_malloc(heap, 0);
        CHECK(heapwright_tlsf_block_size(block) == least);
        // The bins reach to the largest request that can be met.
        heapwright_tlsf_free(heap, block);
        CHECK(heapwright_tlsf_malloc(heap, stats.largest_free) != NULL);
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    }
    CHECK(heapwright_tlsf_control_size(0) == 0);
    CHECK(heapwright_tlsf_arena_size() <= sizeof(heapwright_tlsf_arena));
    CHECK(heapwright_tlsf_arena_size() + 8 * WORD > sizeof(heapwright_tlsf_arena));
    return 0;
}
