// kmem_cache_alloc_bulk: all objects or none; kmem_cache_free_bulk takes them in any order
#include "check.h"

enum { COUNT = 1000, SIZE = 256 };

int main(void) {
    static void *objects[COUNT];
    struct kmem_cache *cache = kmem_cache_create("bulk", SIZE, 0, 0, NULL);
    uint32_t seed = 1;
    CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, 0, objects) == 0);
    kmem_cache_free_bulk(cache, 0, objects);
    for (size_t count = 1; count <= COUNT; count = count * 3 / 2 + 1) {
        CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL | __GFP_ZERO, count, objects) == (int)count);
        for (unsigned i = 0; i < count; i++) {
            CHECK(is_all(objects[i], SIZE, 0));
            fill(objects[i], SIZE, i);
        }
        for (unsigned i = 0; i < count; i++) CHECK(is_filled(objects[i], SIZE, i));
        for (unsigned i = 0; i < count; i++) {
            unsigned other = random_next(&seed) % (unsigned)count;
            void *object = objects[i];
            objects[i] = objects[other], objects[other] = object;
        }
        kmem_cache_free_bulk(cache, count, objects);
        CHECK(heapwright_kernel_check() == 0);
    }
    kmem_cache_destroy(cache);
    return 0;
}
