// stats: total, used, peak, largest free and failures are what happened
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 16 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_stats(heap, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0);
    CHECK(stats.total == 16 * KIB - heapwright_tlsf_control_size(16 * KIB) - heapwright_tlsf_pool_overhead());
    CHECK(stats.used == 0 && stats.peak == 0 && stats.failures == 0);
    CHECK(stats.largest_free == stats.total - heapwright_tlsf_alloc_overhead());
    void *one = heapwright_tlsf_malloc(heap, 1000), *two = heapwright_tlsf_malloc(heap, 2000);
    size_t both = heapwright_tlsf_block_size(one) + heapwright_tlsf_block_size(two) + 2 * heapwright_tlsf_alloc_overhead();
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0);
    CHECK(stats.used == both && stats.peak == both);
    void *rest = heapwright_tlsf_malloc(heap, stats.largest_free);
    CHECK(rest != NULL);
    heapwright_tlsf_free(heap, rest);
    heapwright_tlsf_free(heap, two);
    CHECK(heapwright_tlsf_malloc(heap, 100 * KIB) == NULL);
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0);
    CHECK(stats.used == heapwright_tlsf_block_size(one) + heapwright_tlsf_alloc_overhead());
    CHECK(stats.peak == stats.total && stats.failures == 1);
    return 0;
}
