// required_heap: with the memory it says, no request within the limits fails; contradictions give 0, a least size of 0 SIZE_MAX
#include <heapwright/tlsf.h>

#include "check.h"

enum { LIVE = 8192, LARGEST = 512, LEAST = 64, MOST = LIVE / LEAST };

int main(void) {
    MEMORY(memory, 128 * KIB);
    size_t bytes = heapwright_tlsf_required_heap(LIVE, LARGEST, LEAST);
    CHECK(bytes > LIVE && bytes <= 128 * KIB - 64);
    CHECK(heapwright_tlsf_required_heap(100, 200, 1) == 0);
    CHECK(heapwright_tlsf_required_heap(1000, 10, 20) == 0);
    CHECK(heapwright_tlsf_required_heap(SIZE_MAX, SIZE_MAX, 1) == SIZE_MAX);
    CHECK(heapwright_tlsf_required_heap(LIVE, LARGEST, 0) == SIZE_MAX);
    static struct {
        void *block;
        size_t size;
    } live[MOST];
    uint32_t state = 7;
    for (size_t start = 0; start < 20; start += 3) {
        heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory + start, bytes);
        CHECK(heap != NULL);
        size_t count = 0, sum = 0;
        for (int round = 0; round < 20000; round++) {
            // Small ones first, then gaps between them, then large ones: the longer, the larger.
            size_t size = LEAST + random_next(&state) % (round < 5000 ? 32 : LARGEST - LEAST + 1);
            if (sum + size <= LIVE && count < MOST && random_next(&state) % 8) {
                live[count].block = heapwright_tlsf_malloc(heap, size);
                CHECK(live[count].block != NULL);
                live[count].size = size;
                sum += size;
                count++;
            } else if (count) {
                size_t at = random_next(&state) % count;
                heapwright_tlsf_free(heap, live[at].block);
                sum -= live[at].size;
                live[at] = live[--count];
            }
        }
        CHECK(heapwright_tlsf_check(heap, NULL) == 0);
    }
    return 0;
}
