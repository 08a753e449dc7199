// kmem_cache_destroy: a sheaf that was not returned ends the program
// expect: heapwright: kmem_cache_destroy: cache session: 5 objects are in use
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    CHECK(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 5) != NULL);
    kmem_cache_destroy(cache);
    return 0;
}
