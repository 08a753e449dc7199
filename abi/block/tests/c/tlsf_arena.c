// the arena grows by steps, keeps what is live, and gives back what is free at its end
#include <heapwright/tlsf.h>

#include "check.h"

enum { MOST = 64, STEP = 4096 };

typedef struct {
    size_t bytes, limit, calls;
} end_of_memory;

static int resize(void *context, size_t bytes) {
    end_of_memory *end = context;
    end->calls++;
    CHECK(bytes % STEP == 0 && bytes != end->bytes);
    if (bytes > end->limit) return 1;
    end->bytes = bytes;
    return 0;
}

static int count(void *block, size_t size, int used, void *user) {
    (void)block, (void)size;
    *(size_t *)user += used != 0;
    return 0;
}

int main(void) {
    MEMORY(memory, 128 * KIB);
    static heapwright_tlsf_arena arena;
    end_of_memory end = {0, 128 * KIB, 0};
    CHECK(heapwright_tlsf_arena_init(&arena, memory, STEP, resize, &end) == 0);
    CHECK(heapwright_tlsf_arena_bytes(&arena) == 0 && end.calls == 0);
    CHECK(heapwright_tlsf_arena_shrink(&arena) == 0 && end.calls == 0);
    unsigned char *blocks[MOST];
    for (unsigned i = 0; i < MOST; i++) {
        blocks[i] = heapwright_tlsf_arena_malloc(&arena, 1000);
        CHECK(blocks[i] != NULL && blocks[i] >= memory && blocks[i] + 1000 <= memory + end.bytes);
        fill(blocks[i], 1000, i);
        CHECK(heapwright_tlsf_arena_check(&arena, NULL) == 0);
        CHECK(heapwright_tlsf_arena_bytes(&arena) == end.bytes);
    }
    CHECK(end.bytes >= MOST * 1000 && end.bytes <= MOST * 1000 + 3 * STEP);
    size_t used = 0;
    CHECK(heapwright_tlsf_arena_walk(&arena, count, &used) == 0 && used == MOST);
    blocks[0] = heapwright_tlsf_arena_realloc(&arena, blocks[0], 20000);
    CHECK(blocks[0] != NULL && is_filled(blocks[0], 1000, 0));
    unsigned char *aligned_block = heapwright_tlsf_arena_memalign(&arena, 1024, 10);
    CHECK(aligned(aligned_block, 1024) && aligned_block != NULL);
    CHECK(heapwright_tlsf_arena_memalign(&arena, 3, 10) == NULL && heapwright_tlsf_arena_memalign(&arena, 0, 10) == NULL);
    unsigned char *zero = heapwright_tlsf_arena_calloc(&arena, 100, 7);
    CHECK(zero != NULL && is_all(zero, 700, 0));
    heapwright_tlsf_arena_free(&arena, aligned_block);
    heapwright_tlsf_arena_free(&arena, zero);
    heapwright_tlsf_arena_free(&arena, NULL);
    for (unsigned i = MOST; i-- > 0;) {
        CHECK(is_filled(blocks[i], 1000, i));
        heapwright_tlsf_arena_free(&arena, blocks[i]);
        CHECK(heapwright_tlsf_arena_check(&arena, NULL) == 0);
        // What is not the arena's may be anything.
        set_all(memory + end.bytes, 128 * KIB - end.bytes, 0xAA);
    }
    heapwright_tlsf_arena_shrink(&arena);
    CHECK(end.bytes <= 3 * STEP && heapwright_tlsf_arena_bytes(&arena) == end.bytes);
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_arena_stats(&arena, &stats) == 0 && stats.used == 0 && stats.peak > MOST * 1000);
    CHECK(heapwright_tlsf_arena_check(&arena, NULL) == 0);
    return 0;
}
