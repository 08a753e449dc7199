// a heap or an arena that is NULL: the NULL, the 0 or the error, and nothing happens
#include <heapwright/tlsf.h>

#include "check.h"

static int visit(void *block, size_t size, int used, void *user) {
    (void)block, (void)size, (void)used, (void)user;
    test_end(1);
    return 0;
}

int main(void) {
    MEMORY(memory, 4 * KIB);
    heapwright_tlsf *heap = hide(NULL);
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_malloc(heap, 10) == NULL);
    CHECK(heapwright_tlsf_calloc(heap, 10, 10) == NULL);
    CHECK(heapwright_tlsf_memalign(heap, 64, 10) == NULL);
    CHECK(heapwright_tlsf_malloc_at(heap, memory, 10) == NULL);
    CHECK(heapwright_tlsf_realloc(heap, NULL, 10) == NULL);
    CHECK(heapwright_tlsf_realloc(heap, memory, 0) == NULL);
    CHECK(heapwright_tlsf_realloc_aligned(heap, memory, 64, 10) == NULL);
    heapwright_tlsf_free(heap, NULL);
    heapwright_tlsf_free(heap, memory);
    heapwright_tlsf_reset(heap);
    CHECK(heapwright_tlsf_block_size(NULL) == 0);
    CHECK(heapwright_tlsf_owns(heap, memory) == 0);
    CHECK(heapwright_tlsf_add_pool(heap, memory, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_remove_pool(heap, memory) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_extend_pool(heap, memory, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_append_pool(heap, memory, 4 * KIB) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_truncate_pool(heap, memory, 4 * KIB) == 0);
    CHECK(heapwright_tlsf_pool_size(heap, memory) == 0);
    CHECK(heapwright_tlsf_get_pool(heap) == NULL);
    CHECK(heapwright_tlsf_stats(heap, &stats) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_check(heap, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_check_pool(heap, memory, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_walk(heap, visit, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_walk_pool(heap, memory, visit, NULL) == HEAPWRIGHT_BLOCK_NULL);

    heapwright_tlsf_arena *arena = hide(NULL);
    CHECK(heapwright_tlsf_arena_malloc(arena, 10) == NULL);
    CHECK(heapwright_tlsf_arena_calloc(arena, 10, 10) == NULL);
    CHECK(heapwright_tlsf_arena_memalign(arena, 64, 10) == NULL);
    CHECK(heapwright_tlsf_arena_realloc(arena, NULL, 10) == NULL);
    heapwright_tlsf_arena_free(arena, NULL);
    heapwright_tlsf_arena_free(arena, memory);
    CHECK(heapwright_tlsf_arena_shrink(arena) == 0);
    CHECK(heapwright_tlsf_arena_bytes(arena) == 0);
    CHECK(heapwright_tlsf_arena_stats(arena, &stats) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_arena_check(arena, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_arena_walk(arena, visit, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(is_all(memory, 4 * KIB, 0));
    return 0;
}
