// kmem_cache_free: NULL ends the program
// expect: heapwright: kmem_cache_free: cache session: the object is NULL
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, NULL);
    kmem_cache_free(cache, hide(NULL));
    return 0;
}
