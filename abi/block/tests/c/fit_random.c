// fit: any order of calls: contents stay, blocks keep apart, every invariant holds after each call
#include <heapwright/fit.h>

#include "check.h"

enum { MOST = 64 };

static int sum(void *block, size_t size, int used, void *user) {
    (void)block;
    if (used) *(size_t *)user += size + WORD;
    return 0;
}

int main(void) {
    MEMORY(memory, 48 * KIB);
    static struct {
        unsigned char *at;
        size_t size;
        unsigned seed;
    } live[MOST];
    for (int policy = 0; policy < 4; policy++) {
        heapwright_fit *heap = heapwright_fit_create(memory, 20 * KIB, policy);
        CHECK(heapwright_fit_add_pool(heap, memory + 21 * KIB + 5, 19 * KIB) == 0);
        uint32_t state = 12345;
        heapwright_block_stats stats;
        for (unsigned round = 0; round < 6000; round++) {
            unsigned i = random_next(&state) % MOST;
            size_t size = random_next(&state) % 16 ? random_next(&state) % 300 : random_next(&state) % 9000;
            size_t alignment = (size_t)1 << random_next(&state) % 10;
            unsigned char *old = live[i].at, *new = NULL;
            if (old) CHECK(is_filled(old, live[i].size, live[i].seed));
            switch (random_next(&state) % 6) {
            case 0:
                new = heapwright_fit_realloc(heap, old, size + 1);
                break;
            case 1:
                new = heapwright_fit_realloc_aligned(heap, old, alignment, size + 1);
                CHECK(aligned(new, alignment));
                break;
            case 2:
                heapwright_fit_free(heap, old);
                live[i].at = old = NULL;
                new = heapwright_fit_calloc(heap, 1, size);
                if (new) CHECK(is_all(new, size, 0));
                break;
            default:
                heapwright_fit_free(heap, old);
                live[i].at = old = NULL;
                new = random_next(&state) % 2 ? heapwright_fit_malloc(heap, size) : heapwright_fit_memalign(heap, alignment, size);
            }
            CHECK(heapwright_fit_check(heap, NULL) == 0);
            if (!new) continue;
            CHECK(aligned(new, GRAIN) && heapwright_fit_block_size(heap, new) >= size);
            if (old) CHECK(is_filled(new, live[i].size < size ? live[i].size : size, live[i].seed));
            live[i].at = new;
            live[i].size = size;
            live[i].seed = round;
            fill(new, size, round);
        }
        size_t used = 0;
        CHECK(heapwright_fit_walk(heap, sum, &used) == 0);
        CHECK(heapwright_fit_stats(heap, &stats) == 0 && stats.used == used && stats.peak >= used);
        for (unsigned i = 0; i < MOST; i++) {
            if (live[i].at) CHECK(is_filled(live[i].at, live[i].size, live[i].seed));
            heapwright_fit_free(heap, live[i].at);
            live[i].at = NULL;
        }
        CHECK(heapwright_fit_stats(heap, &stats) == 0 && stats.used == 0);
        CHECK(heapwright_fit_malloc(heap, 100) != NULL && heapwright_fit_realloc(heap, NULL, 0) != NULL);
        heapwright_fit_reset(heap);
        CHECK(heapwright_fit_stats(heap, &stats) == 0 && stats.used == 0 && heapwright_fit_check(heap, NULL) == 0);
        CHECK(heapwright_fit_remove_pool(heap, memory + 21 * KIB + 5) == 0);
    }
    return 0;
}
