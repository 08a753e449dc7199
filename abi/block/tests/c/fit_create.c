// fit create: every policy; memory that is NULL, too small or goes round, and a policy that is none, give NULL; nothing outside is touched
#include <heapwright/fit.h>

#include "check.h"

int main(void) {
    MEMORY(memory, 4 * KIB);
    for (int policy = 0; policy < 4; policy++) {
        CHECK(heapwright_fit_create(NULL, 4096, policy) == NULL);
        CHECK(heapwright_fit_create(memory, 0, policy) == NULL);
        CHECK(heapwright_fit_create(memory, SIZE_MAX, policy) == NULL);
        CHECK(heapwright_fit_create(memory, SIZE_MAX - (uintptr_t)memory + 1, policy) == NULL);
        CHECK(heapwright_fit_create((void *)(UINTPTR_MAX - 7), 4096, policy) == NULL);
        size_t smallest = 0;
        for (size_t length = 0; length < 1000; length++) {
            size_t start = 64 + length % 67;
            set_all(memory, 4 * KIB, 0xAA);
            heapwright_fit *heap = heapwright_fit_create(memory + start, length, policy);
            CHECK(is_all(memory, start, 0xAA) && is_all(memory + start + length, 2 * KIB, 0xAA));
            if (!heap) {
                CHECK(smallest == 0 || length < smallest + 3 * GRAIN);
                continue;
            }
            if (!smallest) smallest = length;
            CHECK(heapwright_fit_check(heap, NULL) == 0);
            heapwright_block_stats stats;
            CHECK(heapwright_fit_stats(heap, &stats) == 0 && stats.used == 0 && stats.failures == 0);
            CHECK(stats.total + heapwright_fit_size() + 5 * WORD + 2 * GRAIN >= length);
            void *block = heapwright_fit_malloc(heap, stats.largest_free);
            CHECK(block != NULL && aligned(block, GRAIN));
            fill(block, stats.largest_free, 1);
            CHECK(heapwright_fit_malloc(heap, 1) == NULL);
            CHECK(is_all(memory, start, 0xAA) && is_all(memory + start + length, 2 * KIB, 0xAA));
            CHECK(heapwright_fit_check(heap, NULL) == 0);
        }
        CHECK(smallest > 0 && smallest < 40 * WORD);
    }
    CHECK(heapwright_fit_create(memory, 4096, 4) == NULL);
    CHECK(heapwright_fit_create(memory, 4096, -1) == NULL);
    return 0;
}
