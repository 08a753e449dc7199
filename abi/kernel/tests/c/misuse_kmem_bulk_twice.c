// kmem_cache_free_bulk: an object that is there twice ends the program
// expect: heapwright: kmem_cache_free_bulk: cache session: {it} is free already (double free)
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, SLAB_CONSISTENCY_CHECKS, NULL);
    void *objects[3];
    CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, 3, objects) == 3);
    objects[2] = shown(objects[1]);
    kmem_cache_free_bulk(cache, 3, objects);
    return 0;
}
