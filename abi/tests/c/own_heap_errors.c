// heapwright.h: a heap refuses what cannot be had with ENOMEM and a bad alignment with EINVAL; size 0 gives a block
// link: heapwright
#include <heapwright.h>

#include "check.h"

int main(void) {
    heapwright_heap *heap = heapwright_heap_new();
    CHECK(heap != NULL, "heapwright_heap_new() is NULL");
    const size_t sizes[] = {(size_t)1 << 45, (size_t)1 << 46, (size_t)1 << 47, ((size_t)1 << 46) + 100, PTRDIFF_MAX - 20000, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        errno = 0;
        void *block = heapwright_heap_malloc(heap, hide_size(sizes[i]));
        CHECK(!block && errno == ENOMEM, "heapwright_heap_malloc(%zu) is %p, errno %d", sizes[i], block, errno);
        errno = 0;
        block = heapwright_heap_aligned_alloc(heap, 64, hide_size(sizes[i]));
        CHECK(!block && errno == ENOMEM, "heapwright_heap_aligned_alloc(64, %zu) is %p, errno %d", sizes[i], block, errno);
    }
    const size_t alignments[] = {0, 3, 24, 100, SIZE_MAX};
    for (int i = 0; i < 5; i++) {
        errno = 0;
        void *block = heapwright_heap_aligned_alloc(heap, hide_size(alignments[i]), 10);
        CHECK(!block && errno == EINVAL, "heapwright_heap_aligned_alloc(%zu, 10) is %p, errno %d", alignments[i], block, errno);
    }
    void *a = heapwright_heap_malloc(heap, 0), *b = heapwright_heap_malloc(heap, 0);
    CHECK(a && b && a != b, "heapwright_heap_malloc(0) gives %p and %p", a, b);
    heapwright_heap_destroy(heap);
    return 0;
}
