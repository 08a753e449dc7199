// kmem_cache_free: a pointer of no cache ends the program
// expect: heapwright: kmem_cache_free: cache session: {it} is no live object of it
#include "check.h"

int main(void) {
    static char memory[64];
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_free(cache, shown(memory));
    return 0;
}
