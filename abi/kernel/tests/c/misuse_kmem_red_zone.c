// kmem_cache_create with SLAB_RED_ZONE: a write past the end of an object is found when it is freed
// expect: heapwright: kmem_cache_free: cache session: {it} was written beyond its ends: 0x01 at {first}
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, SLAB_RED_ZONE, NULL);
    char *object = kmem_cache_alloc(cache, GFP_KERNEL);
    shown(object + 40);
    shown(object);
    object[40] = 1;
    kmem_cache_free(cache, object);
    return 0;
}
