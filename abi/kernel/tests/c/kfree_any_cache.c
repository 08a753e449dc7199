// kfree: takes objects of every cache; ksize says what they have
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("cache", 40, 0, 0, NULL);
    void *object = kmem_cache_alloc(cache, GFP_KERNEL);
    CHECK(ksize(object) == 40);
    kfree(object);
    kmem_cache_destroy(cache);
    return 0;
}
