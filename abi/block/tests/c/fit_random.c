// fit: any order of calls: contents stay, blocks keep apart, every invariant holds after each call
#include <heapwright/fit.h>

#define HEAP heapwright_fit
#define CALL(name) heapwright_fit_##name
#define HOLDS(heap, block, size) (aligned(block, GRAIN) && heapwright_fit_block_size(heap, block) >= (size))
#include "random.h"

static int sum(void *block, size_t size, int used, void *user) {
    (void)block;
    if (used) *(size_t *)user += size + WORD;
    return 0;
}

int main(void) {
    MEMORY(memory, 48 * KIB);
    for (int policy = 0; policy < 4; policy++) {
        heapwright_fit *heap = heapwright_fit_create(memory, 20 * KIB, policy);
        CHECK(heapwright_fit_add_pool(heap, memory + 21 * KIB + 5, 19 * KIB) == 0);
        any_order(heap, 6000);
        heapwright_block_stats stats;
        size_t used = 0;
        CHECK(heapwright_fit_walk(heap, sum, &used) == 0);
        CHECK(heapwright_fit_stats(heap, &stats) == 0 && stats.used == used && stats.peak >= used);
        none_left(heap);
        CHECK(heapwright_fit_malloc(heap, 100) != NULL && heapwright_fit_realloc(heap, NULL, 0) != NULL);
        heapwright_fit_reset(heap);
        CHECK(heapwright_fit_stats(heap, &stats) == 0 && stats.used == 0 && heapwright_fit_check(heap, NULL) == 0);
        CHECK(heapwright_fit_remove_pool(heap, memory + 21 * KIB + 5) == 0);
    }
    return 0;
}
