// kmem_cache_shrink: slabs without objects in use go back to the system; 0 when none is left, 1 otherwise
#include "check.h"

enum { COUNT = 20000, SIZE = 1024 };

int main(void) {
    static void *objects[COUNT];
    struct kmem_cache *cache = kmem_cache_create("cache", SIZE, 0, 0, NULL);
    CHECK(kmem_cache_shrink(cache) == 0);
    unsigned long before = resident_kib();
    for (unsigned i = 0; i < COUNT; i++) {
        objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
        fill(objects[i], SIZE, i);
    }
    unsigned long full = resident_kib();
    CHECK(full >= before + COUNT * (SIZE / 1024));
    for (unsigned i = 1; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
    CHECK(kmem_cache_shrink(cache) == 1);
    CHECK(resident_kib() < before + (full - before) / 10);
    CHECK(is_filled(objects[0], SIZE, 0));
    kmem_cache_free(cache, objects[0]);
    CHECK(kmem_cache_shrink(cache) == 0 && heapwright_kernel_check() == 0);
    kmem_cache_destroy(cache);
    return 0;
}
