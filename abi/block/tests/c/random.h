// Any order of calls on a heap whose functions `CALL` names: contents stay, blocks keep apart, every invariant holds after each.
#include "check.h"

enum { MOST = 64 };

static struct {
    unsigned char *at;
    size_t size;
    unsigned seed;
} live[MOST];

static void any_order(HEAP *heap, unsigned rounds) {
    uint32_t state = 12345;
    for (unsigned round = 0; round < rounds; round++) {
        unsigned i = random_next(&state) % MOST;
        size_t size = random_next(&state) % 16 ? random_next(&state) % 300 : random_next(&state) % 9000;
        size_t alignment = (size_t)1 << random_next(&state) % 10;
        unsigned char *old = live[i].at, *new = NULL;
        if (old) CHECK(is_filled(old, live[i].size, live[i].seed));
        switch (random_next(&state) % 6) {
        case 0:
            new = CALL(realloc)(heap, old, size + 1);
            break;
        case 1:
            new = CALL(realloc_aligned)(heap, old, alignment, size + 1);
            CHECK(aligned(new, alignment));
            break;
        case 2:
            CALL(free)(heap, old);
            live[i].at = old = NULL;
            new = CALL(calloc)(heap, 1, size);
            if (new) CHECK(is_all(new, size, 0));
            break;
        default:
            CALL(free)(heap, old);
            live[i].at = old = NULL;
            new = random_next(&state) % 2 ? CALL(malloc)(heap, size) : CALL(memalign)(heap, alignment, size);
        }
        CHECK(CALL(check)(heap, NULL) == 0);
        if (!new) continue;
        CHECK(HOLDS(heap, new, size));
        if (old) CHECK(is_filled(new, live[i].size < size ? live[i].size : size, live[i].seed));
        live[i].at = new;
        live[i].size = size;
        live[i].seed = round;
        fill(new, size, round);
    }
}

static void none_left(HEAP *heap) {
    heapwright_block_stats stats;
    for (unsigned i = 0; i < MOST; i++) {
        if (live[i].at) CHECK(is_filled(live[i].at, live[i].size, live[i].seed));
        CALL(free)(heap, live[i].at);
        live[i].at = NULL;
    }
    CHECK(CALL(stats)(heap, &stats) == 0 && stats.used == 0);
}
