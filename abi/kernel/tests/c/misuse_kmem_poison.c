// kmem_cache_create with SLAB_POISON: a write to a free object is found before it is handed out again
// expect: heapwright: kmem_cache_alloc: cache session: {it} was written after it was freed: 0x01 at {first}
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, SLAB_POISON, NULL);
    char *object = kmem_cache_alloc(cache, GFP_KERNEL);
    shown(object + 10);
    shown(object);
    kmem_cache_free(cache, object);
    CHECK(object[10] == 0x6b);
    object[10] = 1;
    return kmem_cache_alloc(cache, GFP_KERNEL) == NULL;
}
