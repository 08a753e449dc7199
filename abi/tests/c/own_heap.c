// heapwright.h: a heap's blocks are disjoint, aligned, freed by free() one by one or all at once by heapwright_heap_destroy
// link: heapwright
#include <heapwright.h>
#include <malloc.h>

#include "check.h"

enum { COUNT = 5000 };

static void fill_heap(heapwright_heap *heap, int round) {
    static char *blocks[COUNT];
    static size_t sizes[COUNT];
    uint64_t state = (uint64_t)round;
    for (int i = 0; i < COUNT; i++) {
        sizes[i] = random_next(&state) % (i % 100 ? 2000 : 300 * KIB);
        size_t alignment = i % 10 ? 16 : (size_t)16 << i / 10 % 9;
        blocks[i] = i % 10 ? heapwright_heap_malloc(heap, sizes[i]) : heapwright_heap_aligned_alloc(heap, alignment, sizes[i]);
        CHECK(blocks[i] && aligned(blocks[i], alignment), "a heap's block of %zu at %zu is %p", sizes[i], alignment, blocks[i]);
        CHECK(malloc_usable_size(blocks[i]) >= sizes[i], "a heap's block of %zu has %zu usable", sizes[i], malloc_usable_size(blocks[i]));
        fill(blocks[i], sizes[i], (unsigned)i);
        if (i % 7 == 3) free(blocks[i - 1]), blocks[i - 1] = NULL;
        if (i % 50 == 9) {
            blocks[i] = realloc(blocks[i], sizes[i] + 1000);
            CHECK(blocks[i] != NULL, "realloc of a heap's block is NULL");
            CHECK(first_difference(blocks[i], sizes[i], (unsigned)i) == sizes[i], "realloc of a heap's block lost contents");
            free(blocks[i]), blocks[i] = NULL;
        }
    }
    for (int i = 0; i < COUNT; i++)
        if (blocks[i]) CHECK(first_difference(blocks[i], sizes[i], (unsigned)i) == sizes[i], "a heap's block of %zu was overwritten", sizes[i]);
}

int main(void) {
    char *outside = malloc(1000);
    fill(outside, 1000, 77);
    size_t after_some = 0;
    for (int round = 0; round < 40; round++) {
        heapwright_heap *heap = heapwright_heap_new(), *other = heapwright_heap_new();
        CHECK(heap && other && heap != other, "heapwright_heap_new() gives %p and %p", (void *)heap, (void *)other);
        char *theirs = heapwright_heap_malloc(other, 3000);
        fill(theirs, 3000, 5);
        fill_heap(heap, round + 1);
        heapwright_heap_destroy(heap);
        CHECK(first_difference(theirs, 3000, 5) == 3000, "destroying one heap changed another");
        heapwright_heap_destroy(other);
        CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken in round %d", round);
        if (round == 9) after_some = resident();
    }
    CHECK(resident() < after_some + 16 * MIB, "heaps leak: %zu KiB after 10 rounds, %zu after 40", after_some / KIB, resident() / KIB);
    CHECK(first_difference(outside, 1000, 77) == 1000, "destroying a heap changed a block outside");
    free(outside);
    heapwright_heap_destroy(NULL);
    return 0;
}
