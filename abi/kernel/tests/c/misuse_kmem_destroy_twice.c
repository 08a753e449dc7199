// kmem_cache_destroy: the second time ends the program
// expect: heapwright: kmem_cache_destroy: cache session was destroyed
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 8, 0, 0, NULL);
    kmem_cache_destroy(cache);
    kmem_cache_destroy(cache);
    return 0;
}
