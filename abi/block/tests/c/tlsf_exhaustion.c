// malloc gives NULL when nothing is left, and everything again when everything was freed
#include <heapwright/tlsf.h>

#include "check.h"

enum { MOST = 4096 };

int main(void) {
    MEMORY(memory, 64 * KIB);
    static void *blocks[MOST];
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 64 * KIB);
    heapwright_block_stats start, end;
    CHECK(heap && heapwright_tlsf_stats(heap, &start) == 0);
    for (unsigned order = 0; order < 3; order++) {
        for (size_t size = 1; size < 10000; size = size * 3 + 1) {
            size_t count = 0;
            while (count < MOST && (blocks[count] = heapwright_tlsf_malloc(heap, size)) != NULL) count++;
            CHECK(count > 0 && count < MOST + 1);
            if (count < MOST) CHECK(count * (size + 4 * GRAIN) >= start.total - start.total / 4 - size);
            CHECK(heapwright_tlsf_check(heap, NULL) == 0);
            for (size_t i = 0; i < count; i++) {
                // Upward, downward, every other.
                size_t at = order == 0 ? i : order == 1 ? count - 1 - i : i < (count + 1) / 2 ? 2 * i : 2 * (i - (count + 1) / 2) + 1;
                heapwright_tlsf_free(heap, blocks[at]);
            }
            CHECK(heapwright_tlsf_check(heap, NULL) == 0);
            CHECK(heapwright_tlsf_stats(heap, &end) == 0);
            CHECK(end.used == 0 && end.largest_free == start.largest_free);
        }
    }
    return 0;
}
