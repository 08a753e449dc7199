// kmem_cache_free: an object freed twice ends the program, also when others were freed in between
// expect: heapwright: kmem_cache_free: cache session: {it} is free already (double free)
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    void *objects[1000];
    for (int i = 0; i < 1000; i++) objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
    for (int i = 0; i < 900; i++) kmem_cache_free(cache, objects[i]);
    kmem_cache_free(cache, shown(objects[850]));
    return 0;
}
