// walk, walk_pool: every block once, in order, and what the visitor returns ends it
#include <heapwright/tlsf.h>

#include "check.h"

typedef struct {
    size_t blocks, used, bytes, stop_at;
    uintptr_t last;
} seen;

static int visit(void *block, size_t size, int used, void *user) {
    seen *all = user;
    CHECK((uintptr_t)block > all->last || all->last == 0);
    all->last = (uintptr_t)block;
    all->blocks++;
    all->used += used != 0;
    all->bytes += size + heapwright_tlsf_alloc_overhead();
    if (used) CHECK(heapwright_tlsf_block_size(block) == size);
    return all->blocks == all->stop_at ? 42 : 0;
}

int main(void) {
    MEMORY(memory, 32 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 16 * KIB);
    unsigned char *blocks[9];
    for (size_t i = 0; i < 9; i++) blocks[i] = heapwright_tlsf_malloc(heap, 100 * i + 50);
    for (size_t i = 0; i < 9; i += 2) heapwright_tlsf_free(heap, blocks[i]);
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0);
    seen all = {0, 0, 0, 0, 0};
    CHECK(heapwright_tlsf_walk(heap, visit, &all) == 0);
    CHECK(all.used == 4 && all.blocks == 9 && all.bytes == stats.total);
    seen some = {0, 0, 0, 3, 0};
    CHECK(heapwright_tlsf_walk(heap, visit, &some) == 42 && some.blocks == 3);
    CHECK(heapwright_tlsf_walk(heap, NULL, &some) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_add_pool(heap, memory + 20 * KIB, 8 * KIB) == 0);
    seen first = {0, 0, 0, 0, 0}, second = {0, 0, 0, 0, 0};
    CHECK(heapwright_tlsf_walk_pool(heap, heapwright_tlsf_get_pool(heap), visit, &first) == 0);
    CHECK(first.blocks == 9 && first.used == 4 && first.bytes == stats.total);
    CHECK(heapwright_tlsf_walk_pool(heap, memory + 20 * KIB, visit, &second) == 0);
    CHECK(second.blocks == 1 && second.used == 0);
    CHECK(second.bytes == 8 * KIB - heapwright_tlsf_pool_overhead());
    CHECK(heapwright_tlsf_walk_pool(heap, memory + 21 * KIB, visit, &second) == HEAPWRIGHT_BLOCK_UNKNOWN);
    CHECK(heapwright_tlsf_walk_pool(heap, NULL, visit, &second) == HEAPWRIGHT_BLOCK_UNKNOWN);
    return 0;
}
