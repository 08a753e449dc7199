// heapwright.h: a heap gives large blocks and large alignments too, and destroying it gives their memory back
// link: heapwright
#include <heapwright.h>
#include <malloc.h>

#include "check.h"

int main(void) {
    const size_t sizes[] = {100000, 300000, 2 * MIB, 2 * MIB + 1, 5 * MIB, 32 * MIB, 33 * MIB, 100 * MIB};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    size_t after_some = 0;
    for (int round = 0; round < 12; round++) {
        heapwright_heap *heap = heapwright_heap_new();
        CHECK(heap != NULL, "heapwright_heap_new() is NULL");
        char *blocks[COUNT];
        for (int i = 0; i < COUNT; i++) {
            blocks[i] = heapwright_heap_malloc(heap, sizes[i]);
            CHECK(blocks[i] && aligned(blocks[i], 16), "heapwright_heap_malloc(%zu) is %p", sizes[i], blocks[i]);
            CHECK(malloc_usable_size(blocks[i]) >= sizes[i], "a heap's block of %zu has %zu usable", sizes[i], malloc_usable_size(blocks[i]));
            fill(blocks[i], 50000, (unsigned)i);
            blocks[i][sizes[i] - 1] = 1;
        }
        for (size_t alignment = 16; alignment <= 64 * MIB; alignment *= 2) {
            char *block = heapwright_heap_aligned_alloc(heap, alignment, 1000);
            CHECK(block && aligned(block, alignment), "heapwright_heap_aligned_alloc(%zu, 1000) is %p", alignment, block);
            memset(block, 1, 1000);
            if (round % 2) free(block);
        }
        for (int i = 0; i < COUNT; i++) {
            CHECK(first_difference(blocks[i], 50000, (unsigned)i) == 50000, "a heap's block of %zu was overwritten", sizes[i]);
            if (i % 3 == round % 3) free(blocks[i]);
        }
        heapwright_heap_destroy(heap);
        heapwright_purge();
        if (round == 3) after_some = resident();
    }
    CHECK(resident() < after_some + 8 * MIB, "heaps leak: %zu KiB after 4 rounds, %zu after 12", after_some / KIB, resident() / KIB);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
