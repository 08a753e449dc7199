// kmem_cache_alloc: a fresh slab's objects in the order of addresses, then the one that was freed last
#include "check.h"

enum { COUNT = 10, SIZE = 40 };

int main(void) {
    void *objects[COUNT];
    struct kmem_cache *cache = kmem_cache_create("items", SIZE, 0, 0, NULL);
    for (int i = 0; i < COUNT; i++) {
        objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
        CHECK((char *)objects[i] == (char *)objects[0] + i * SIZE);
    }
    for (int i = 0; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
    for (int i = COUNT; i-- > 0;) CHECK(kmem_cache_alloc(cache, GFP_KERNEL) == objects[i]);
    CHECK((char *)kmem_cache_alloc(cache, GFP_KERNEL) == (char *)objects[0] + COUNT * SIZE);
    // In bulk the first of the array is the next.
    kmem_cache_free_bulk(cache, COUNT, objects);
    for (int i = 0; i < COUNT; i++) CHECK(kmem_cache_alloc(cache, GFP_KERNEL) == objects[i]);
    kmem_cache_free_bulk(cache, COUNT, objects);
    void *bulk[COUNT];
    CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, COUNT, bulk) == COUNT && memcmp(bulk, objects, sizeof bulk) == 0);
    kmem_cache_free_bulk(cache, COUNT, bulk);
    kmem_cache_free(cache, (char *)objects[0] + COUNT * SIZE);
    kmem_cache_destroy(cache);
    return 0;
}
