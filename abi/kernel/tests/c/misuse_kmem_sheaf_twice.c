// kmem_cache_return_sheaf: a sheaf returned twice ends the program
// expect: heapwright: kmem_cache_return_sheaf: cache session: {it} is no sheaf of it
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    struct slab_sheaf *sheaf = shown(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 5));
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
    return 0;
}
