// fits: create, malloc, free, the policies that are built in
#include <heapwright/fit.h>

void *volatile result;
size_t volatile size;

void _start(void) {
    heapwright_fit *heap = heapwright_fit_create(result, size, (int)size);
    result = heapwright_fit_malloc(heap, size);
    heapwright_fit_free(heap, result);
}
