// TLSF: create, malloc, free, realloc
#include <heapwright/tlsf.h>

void *volatile result;
size_t volatile size;

void _start(void) {
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(result, size);
    result = heapwright_tlsf_malloc(heap, size);
    result = heapwright_tlsf_realloc(heap, result, size);
    heapwright_tlsf_free(heap, result);
}
