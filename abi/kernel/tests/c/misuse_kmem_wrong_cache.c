// kmem_cache_free: an object of another cache ends the program, and both are named
// expect: heapwright: kmem_cache_free: cache session: {it} is an object of cache request
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL), *other = kmem_cache_create("request", 40, 0, 0, NULL);
    kmem_cache_free(cache, shown(kmem_cache_alloc(other, GFP_KERNEL)));
    return 0;
}
