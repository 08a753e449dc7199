// arena_init: NULL and a step that is no power of two have their errors; nothing is written
#include <heapwright/tlsf.h>

#include "check.h"

static int resize(void *context, size_t bytes) {
    (void)context, (void)bytes;
    return 1;
}

int main(void) {
    MEMORY(memory, 4 * KIB);
    static heapwright_tlsf_arena arena;
    CHECK(heapwright_tlsf_arena_init(NULL, memory, 4096, resize, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_arena_init(&arena, NULL, 4096, resize, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_arena_init(&arena, memory, 4096, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_arena_init(&arena, memory, 0, resize, NULL) == HEAPWRIGHT_BLOCK_STEP);
    CHECK(heapwright_tlsf_arena_init(&arena, memory, 100, resize, NULL) == HEAPWRIGHT_BLOCK_STEP);
    CHECK(heapwright_tlsf_arena_init(&arena, memory, SIZE_MAX, resize, NULL) == HEAPWRIGHT_BLOCK_STEP);
    CHECK(is_all(&arena, sizeof arena, 0));
    CHECK(heapwright_tlsf_arena_init(&arena, memory, 1, resize, NULL) == HEAPWRIGHT_BLOCK_OK);
    CHECK(heapwright_tlsf_arena_stats(&arena, NULL) == HEAPWRIGHT_BLOCK_NULL);
    CHECK(heapwright_tlsf_arena_walk(&arena, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);
    return 0;
}
