// kmem_cache_zalloc: of a cache with a constructor it ends the program
// expect: heapwright: kmem_cache_zalloc: cache session: objects with a constructor are not cleared
#include "check.h"

static void construct(void *object) { memset(object, 1, 40); }

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, construct);
    return kmem_cache_zalloc(cache, GFP_KERNEL) == NULL;
}
