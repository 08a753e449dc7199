// fit: a size above what the heap can have, an alignment that is none, a product that overflows: NULL, and nothing changes
#include <heapwright/fit.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 8 * KIB);
    for (int policy = 0; policy < 4; policy++) {
        heapwright_fit *heap = heapwright_fit_create(memory, 8 * KIB, policy);
        unsigned char *block = heapwright_fit_malloc(heap, 100);
        fill(block, 100, 9);
        heapwright_block_stats before, after;
        CHECK(heapwright_fit_stats(heap, &before) == 0);
        size_t failures = 0;
        for (int bits = 13; bits <= (int)(8 * sizeof(size_t)); bits++) {
            size_t top = bits == (int)(8 * sizeof(size_t)) ? SIZE_MAX : ((size_t)1 << bits) - 1;
            for (size_t less = 0; less < 40; less++) {
                size_t size = hide_size(top - less);
                CHECK(heapwright_fit_malloc(heap, size) == NULL);
                CHECK(heapwright_fit_calloc(heap, 3, size) == NULL);
                CHECK(heapwright_fit_memalign(heap, 256, size) == NULL);
                CHECK(heapwright_fit_realloc(heap, block, size) == NULL);
                failures += 4;
            }
        }
        CHECK(heapwright_fit_stats(heap, &after) == 0);
        CHECK(after.failures == failures && after.used == before.used && after.total == before.total);
        for (size_t alignment = 16 * KIB; alignment != 0; alignment *= 2) {
            // Such an address may lie in the heap by chance.
            void *chance = heapwright_fit_memalign(heap, hide_size(alignment), 1);
            CHECK(aligned(chance, alignment));
            heapwright_fit_free(heap, chance);
        }
        static const size_t wrong[] = {0, 3, 6, 100, SIZE_MAX};
        for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
            CHECK(heapwright_fit_memalign(heap, hide_size(wrong[i]), 8) == NULL);
            CHECK(heapwright_fit_realloc_aligned(heap, block, hide_size(wrong[i]), 8) == NULL);
        }
        CHECK(is_filled(block, 100, 9) && heapwright_fit_check(heap, NULL) == 0);
    }
    return 0;
}
