// buddy: create, malloc, free
#include <heapwright/buddy.h>

void *volatile result;
size_t volatile size;

void _start(void) {
    heapwright_buddy *heap = heapwright_buddy_create(result, size);
    result = heapwright_buddy_malloc(heap, size);
    heapwright_buddy_free(heap, result, size);
}
