// kmem_cache_destroy: objects in use end the program
// expect: heapwright: kmem_cache_destroy: cache session: 3 objects are in use
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    for (int i = 0; i < 3; i++) CHECK(kmem_cache_alloc(cache, GFP_KERNEL) != NULL);
    kmem_cache_destroy(cache);
    return 0;
}
