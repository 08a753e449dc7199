// any order of calls: contents stay, blocks keep apart, every invariant holds after each call
#include <heapwright/tlsf.h>

#include "check.h"

enum { MOST = 64 };

int main(void) {
    MEMORY(memory, 48 * KIB);
    static struct {
        unsigned char *at;
        size_t size;
        unsigned seed;
    } live[MOST];
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 20 * KIB);
    CHECK(heapwright_tlsf_add_pool(heap, memory + 21 * KIB + 5, 19 * KIB) == 0);
    uint32_t state = 12345;
    for (unsigned round = 0; round < 20000; round++) {
        unsigned i = random_next(&state) % MOST;
        size_t size = random_next(&state) % 16 ? random_next(&state) % 300 : random_next(&state) % 9000;
        size_t alignment = (size_t)1 << random_next(&state) % 10;
        unsigned char *old = live[i].at, *new = NULL;
        if (old) CHECK(is_filled(old, live[i].size, live[i].seed));
        switch (random_next(&state) % 6) {
        case 0:
            new = heapwright_tlsf_realloc(heap, old, size + 1);
            break;
        case 1:
            new = heapwright_tlsf_realloc_aligned(heap, old, alignment, size + 1);
            CHECK(aligned(new, alignment));
            break;
        default:
            heapwright_tlsf_free(heap, old);
            live[i].at = old = NULL;
            new = random_next(&state) % 2 ? heapwright_tlsf_malloc(heap, size) : heapwright_tlsf_memalign(heap, alignment, size);
        }
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
        if (!new) continue;
        if (old) CHECK(is_filled(new, live[i].size < size ? live[i].size : size, live[i].seed));
        live[i].at = new;
        live[i].size = size;
        live[i].seed = round;
        fill(new, size, round);
    }
    for (unsigned i = 0; i < MOST; i++) {
        if (live[i].at) CHECK(is_filled(live[i].at, live[i].size, live[i].seed));
        heapwright_tlsf_free(heap, live[i].at);
    }
    heapwright_block_stats stats;
    CHECK(heapwright_tlsf_stats(heap, &stats) == 0 && stats.used == 0);
    CHECK(heapwright_tlsf_remove_pool(heap, memory + 21 * KIB + 5) == 0);
    return 0;
}
