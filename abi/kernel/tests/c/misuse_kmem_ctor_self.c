// kmem_cache_create: a constructor that allocates from its own cache ends the program
// expect: heapwright: kmem_cache_alloc: cache session: its constructor uses it
#include "check.h"

static struct kmem_cache *cache;

static void construct(void *object) {
    *(long *)object = 0;
    (void)hide(kmem_cache_alloc(cache, GFP_KERNEL));
}

int main(void) {
    cache = kmem_cache_create("session", 1024, 0, 0, construct);
    (void)hide(kmem_cache_alloc(cache, GFP_KERNEL));
    return 0;
}
