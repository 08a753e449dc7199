// kmem_cache_free: a pointer into an object ends the program
// expect: heapwright: kmem_cache_free: cache session: {it} points into a slab, not at an object's start
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    kmem_cache_free(cache, shown((char *)kmem_cache_alloc(cache, GFP_KERNEL) + 8));
    return 0;
}
