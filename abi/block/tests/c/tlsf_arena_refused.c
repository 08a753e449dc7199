// the arena whose source refuses: NULL, and all that was there stays; any size, also one that wraps
#include <heapwright/tlsf.h>

#include "check.h"

enum { STEP = 1024 };

static size_t now, limit;

static int resize(void *context, size_t bytes) {
    CHECK(context == NULL);
    if (bytes > limit) return -1;
    now = bytes;
    return 0;
}

static int stubborn;

static int sometimes(void *context, size_t bytes) { return stubborn && bytes < now ? -1 : resize(context, bytes); }

static int only_up(void *context, size_t bytes) { return bytes < now ? -1 : resize(context, bytes); }

int main(void) {
    MEMORY(memory, 64 * KIB);
    static heapwright_tlsf_arena arena;
    CHECK(heapwright_tlsf_arena_init(&arena, memory, STEP, resize, NULL) == 0);
    CHECK(heapwright_tlsf_arena_malloc(&arena, 10) == NULL && now == 0);
    CHECK(heapwright_tlsf_arena_check(&arena, NULL) == 0);
    limit = 64 * KIB;
    unsigned char *block = heapwright_tlsf_arena_malloc(&arena, 5000);
    CHECK(block != NULL);
    fill(block, 5000, 1);
    size_t before = now;
    for (int bits = 17; bits <= (int)(8 * sizeof(size_t)); bits++) {
        size_t top = bits == (int)(8 * sizeof(size_t)) ? SIZE_MAX : ((size_t)1 << bits) - 1;
        for (size_t less = 0; less < 5000; less = less * 3 + 1) {
            CHECK(heapwright_tlsf_arena_malloc(&arena, hide_size(top - less)) == NULL);
            CHECK(heapwright_tlsf_arena_calloc(&arena, 2, hide_size(top - less)) == NULL);
            CHECK(heapwright_tlsf_arena_memalign(&arena, 4096, hide_size(top - less)) == NULL);
            CHECK(heapwright_tlsf_arena_realloc(&arena, block, hide_size(top - less)) == NULL);
            CHECK(now == before);
        }
    }
    CHECK(heapwright_tlsf_arena_memalign(&arena, hide_size(SIZE_MAX / 2 + 1), 1) == NULL);
    CHECK(is_filled(block, 5000, 1) && heapwright_tlsf_arena_check(&arena, NULL) == 0);
    limit = before;
    while (heapwright_tlsf_arena_malloc(&arena, 100) != NULL) {}
    CHECK(now == before && is_filled(block, 5000, 1) && heapwright_tlsf_arena_check(&arena, NULL) == 0);
    CHECK(heapwright_tlsf_arena_realloc(&arena, block, hide_size(0)) == NULL);
    block = heapwright_tlsf_arena_realloc(&arena, NULL, 4000);
    CHECK(block != NULL && heapwright_tlsf_arena_check(&arena, NULL) == 0);

    // Memory that is not taken back is used again.
    now = 0;
    limit = 16 * KIB;
    CHECK(heapwright_tlsf_arena_init(&arena, memory, STEP, only_up, NULL) == 0);
    for (int round = 0; round < 5; round++) {
        block = heapwright_tlsf_arena_malloc(&arena, 14 * KIB);
        CHECK(block != NULL && now == heapwright_tlsf_arena_bytes(&arena));
        before = now;
        fill(block, 14 * KIB, 2);
        heapwright_tlsf_arena_free(&arena, block);
        CHECK(heapwright_tlsf_arena_shrink(&arena) == 0 && now == before && heapwright_tlsf_arena_bytes(&arena) == now);
        CHECK(heapwright_tlsf_arena_check(&arena, NULL) == 0);
        unsigned char *small = heapwright_tlsf_arena_malloc(&arena, 3000);
        CHECK(small != NULL && now == before);
        heapwright_tlsf_arena_free(&arena, small);
        CHECK(heapwright_tlsf_arena_check(&arena, NULL) == 0);
    }

    // A source that refused to take it back is asked again.
    now = 0;
    stubborn = 1;
    CHECK(heapwright_tlsf_arena_init(&arena, memory, STEP, sometimes, NULL) == 0);
    block = heapwright_tlsf_arena_malloc(&arena, 14 * KIB);
    CHECK(block != NULL);
    before = now;
    heapwright_tlsf_arena_free(&arena, block);
    CHECK(heapwright_tlsf_arena_shrink(&arena) == 0 && now == before);
    block = heapwright_tlsf_arena_malloc(&arena, 3000);
    stubborn = 0;
    size_t given = heapwright_tlsf_arena_shrink(&arena);
    CHECK(block != NULL && given > 0 && now == before - given);
    CHECK(heapwright_tlsf_arena_bytes(&arena) == now && heapwright_tlsf_arena_check(&arena, NULL) == 0);
    return 0;
}
