// kmem_cache_alloc: without memory it is NULL; objects keep their bytes, and what is freed is handed out again
#include "check.h"

enum { MOST = 100000, SIZE = 1000 };

int main(void) {
    static void *objects[MOST];
    struct kmem_cache *cache = kmem_cache_create("cache", SIZE, 0, 0, NULL);
    refuse_above((size_t)32 << 20);
    unsigned count = 0;
    for (; count < MOST && (objects[count] = kmem_cache_alloc(cache, GFP_ATOMIC)) != NULL; count++) fill(objects[count], SIZE, count);
    CHECK(count > 10000 && count < MOST && heapwright_kernel_check() == 0);
    for (unsigned i = 0; i < count; i++) CHECK(is_filled(objects[i], SIZE, i));
    for (unsigned i = 0; i < count; i += 2) kmem_cache_free(cache, objects[i]);
    for (unsigned i = 0; i < count; i += 2) CHECK((objects[i] = kmem_cache_alloc(cache, GFP_ATOMIC)) != NULL);
    for (unsigned i = 0; i < count; i++) kmem_cache_free(cache, objects[i]);
    refuse_none();
    CHECK(heapwright_kernel_check() == 0);
    kmem_cache_destroy(cache);
    return 0;
}
