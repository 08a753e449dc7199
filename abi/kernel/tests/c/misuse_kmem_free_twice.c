// kmem_cache_free: an object freed twice in a row ends the program
// expect: heapwright: kmem_cache_free: cache session: {it} is free already (double free)
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    void *object = shown(kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_free(cache, object);
    kmem_cache_free(cache, object);
    return 0;
}
