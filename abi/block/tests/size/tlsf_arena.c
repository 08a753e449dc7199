// TLSF's arena: init, malloc, free
#include <heapwright/tlsf.h>

void *volatile result;
size_t volatile size;
extern heapwright_tlsf_resize volatile resize;
heapwright_tlsf_resize volatile resize;

void _start(void) {
    static heapwright_tlsf_arena arena;
    heapwright_tlsf_arena_init(&arena, result, size, resize, result);
    result = heapwright_tlsf_arena_malloc(&arena, size);
    heapwright_tlsf_arena_free(&arena, result);
}
