// kmem_cache_free: a block of kmalloc ends the program
// expect: heapwright: kmem_cache_free: cache session: {it} is a block of kmalloc
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 64, 0, 0, NULL);
    kmem_cache_free(cache, shown(kmalloc(64, GFP_KERNEL)));
    return 0;
}
