// kmem_cache_alloc: a cache that was destroyed ends the program, also when others were made since
// expect: heapwright: kmem_cache_alloc: cache session was destroyed
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 64, 0, 0, NULL);
    kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_destroy(cache);
    for (int i = 0; i < 10; i++) {
        struct kmem_cache *later = kmem_cache_create("later", 64, 0, 0, NULL);
        CHECK(later != NULL && later != cache);
        if (i % 2) kmem_cache_destroy(later);
    }
    (void)hide(kmem_cache_alloc(cache, GFP_KERNEL));
    return 0;
}
