// heapwright.h: there are 1,024 heaps at most; the next is refused with ENOMEM until one is destroyed
// link: heapwright
#include <heapwright.h>

#include "check.h"

enum { MOST = 1024 };

int main(void) {
    static heapwright_heap *heaps[MOST];
    for (int i = 0; i < MOST; i++) {
        heaps[i] = heapwright_heap_new();
        CHECK(heaps[i] != NULL, "heap %d is NULL, errno %d", i, errno);
    }
    errno = 0;
    heapwright_heap *more = heapwright_heap_new();
    CHECK(!more && errno == ENOMEM, "heap %d is %p, errno %d", MOST, (void *)more, errno);
    heapwright_heap_destroy(heaps[500]);
    heaps[500] = heapwright_heap_new();
    CHECK(heaps[500] != NULL, "a place that is free again is not used, errno %d", errno);
    for (int i = 0; i < MOST; i++) heapwright_heap_destroy(heaps[i]);
    return 0;
}
