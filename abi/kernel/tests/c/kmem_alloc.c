// kmem_cache_alloc: objects are apart and keep their bytes; zalloc's are 0
#include "check.h"

enum { COUNT = 10000, SIZE = 40 };

int main(void) {
    static void *objects[COUNT];
    struct kmem_cache *cache = kmem_cache_create("cache", SIZE, 0, 0, NULL);
    for (unsigned i = 0; i < COUNT; i++) {
        objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
        CHECK(objects[i] != NULL);
        fill(objects[i], SIZE, i);
    }
    CHECK(heapwright_kernel_check() == 0);
    for (unsigned i = 0; i < COUNT; i++) CHECK(is_filled(objects[i], SIZE, i));
    for (unsigned i = 0; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
    for (unsigned i = 0; i < COUNT; i++) {
        objects[i] = i % 2 ? kmem_cache_zalloc(cache, GFP_KERNEL) : kmem_cache_alloc(cache, GFP_KERNEL | __GFP_ZERO);
        CHECK(objects[i] != NULL && is_all(objects[i], SIZE, 0));
        fill(objects[i], SIZE, i);
    }
    for (unsigned i = 0; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
    CHECK(heapwright_kernel_check() == 0);
    kmem_cache_destroy(cache);
    return 0;
}
