// kmem_cache_create with SLAB_STORE_USER: a misuse names who allocated and who freed the object last
// expect: heapwright: kmem_cache_free: cache session: {it} is free already (double free); allocated by {first}, freed by {first}
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, SLAB_STORE_USER, NULL);
    shown((void *)pthread_self());
    void *object = shown(kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_free(cache, object);
    kmem_cache_free(cache, object);
    return 0;
}
