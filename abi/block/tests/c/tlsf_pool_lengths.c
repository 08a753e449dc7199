// extend_pool, append_pool, truncate_pool: the pool's end moves, blocks in use stay, bad lengths have their errors
#include <heapwright/tlsf.h>

#include "check.h"

int main(void) {
    MEMORY(control, 4 * KIB);
    MEMORY(memory, 64 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create(control, heapwright_tlsf_size());
    unsigned char *pool = memory + 3;
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_add_pool(heap, pool, 4 * KIB) == 0);
    unsigned char *kept = heapwright_tlsf_malloc(heap, 1000);
    fill(kept, 1000, 1);
    CHECK(heapwright_tlsf_malloc(heap, 10 * KIB) == NULL);
    CHECK(heapwright_tlsf_extend_pool(heap, pool + 1, 8 * KIB) == HEAPWRIGHT_BLOCK_UNKNOWN);
    CHECK(heapwright_tlsf_extend_pool(heap, NULL, 8 * KIB) == HEAPWRIGHT_BLOCK_UNKNOWN);
    CHECK(heapwright_tlsf_extend_pool(heap, pool, 100) == HEAPWRIGHT_BLOCK_TOO_SMALL);
    CHECK(heapwright_tlsf_extend_pool(heap, pool, SIZE_MAX) == HEAPWRIGHT_BLOCK_WRAPS);
    CHECK(heapwright_tlsf_extend_pool(heap, pool, 16 * KIB) == 0);
    CHECK(heapwright_tlsf_pool_size(heap, pool) == 16 * KIB && heapwright_tlsf_check(heap, NULL) == 0);
    unsigned char *large = heapwright_tlsf_malloc(heap, 10 * KIB);
    CHECK(large != NULL && is_filled(kept, 1000, 1));
    // Appended where it ends, it is one pool; elsewhere, a pool of its own.
    CHECK(heapwright_tlsf_append_pool(heap, pool + 16 * KIB, 8 * KIB) == 0);
    CHECK(heapwright_tlsf_pool_size(heap, pool) == 24 * KIB && heapwright_tlsf_pool_size(heap, pool + 16 * KIB) == 0);
    CHECK(heapwright_tlsf_append_pool(heap, memory + 40 * KIB, 8 * KIB) == 0);
    CHECK(heapwright_tlsf_pool_size(heap, memory + 40 * KIB) == 8 * KIB);
    CHECK(heapwright_tlsf_append_pool(heap, pool + 20 * KIB, 8 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_append_pool(heap, NULL, 8 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_append_pool(heap, pool + 24 * KIB, SIZE_MAX) == HEAPWRIGHT_BLOCK_WRAPS);
    CHECK(heapwright_tlsf_extend_pool(heap, pool, 45 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    // As short as the blocks in use allow.
    CHECK(heapwright_tlsf_truncate_pool(heap, pool + 1, 8 * KIB) == 0);
    CHECK(heapwright_tlsf_truncate_pool(heap, NULL, 8 * KIB) == 0);
    size_t now = heapwright_tlsf_truncate_pool(heap, pool, 100);
    CHECK(now > (size_t)(large - pool) + 10 * KIB - 1 && now < 20 * KIB && heapwright_tlsf_pool_size(heap, pool) == now);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0 && is_filled(kept, 1000, 1));
    set_all(pool + now, 24 * KIB - now, 0xFF);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    heapwright_tlsf_free(heap, large);
    CHECK(heapwright_tlsf_truncate_pool(heap, pool, 8 * KIB) == 8 * KIB);
    CHECK(heapwright_tlsf_truncate_pool(heap, pool, 12 * KIB) == 8 * KIB);
    set_all(pool + 8 * KIB, 16 * KIB, 0xFF);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0 && is_filled(kept, 1000, 1));
    heapwright_tlsf_free(heap, kept);
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);

    // A control block that was cut describes no pool longer than its memory was.
    MEMORY(small, 64 * KIB);
    heap = heapwright_tlsf_create_with_pool(small, 4 * KIB);
    pool = heapwright_tlsf_get_pool(heap);
    CHECK(heapwright_tlsf_extend_pool(heap, pool, 32 * KIB) == HEAPWRIGHT_BLOCK_TOO_LARGE);
    CHECK(heapwright_tlsf_append_pool(heap, small + 4 * KIB, 4 * KIB) == 0);
    CHECK(heapwright_tlsf_pool_size(heap, small + 4 * KIB) == 4 * KIB);
    CHECK(heapwright_tlsf_append_pool(heap, small + 8 * KIB, 8 * KIB) == HEAPWRIGHT_BLOCK_TOO_LARGE);
    CHECK(heapwright_tlsf_append_pool(heap, small, 4 * KIB) == HEAPWRIGHT_BLOCK_OVERLAPS);
    CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    return 0;
}
