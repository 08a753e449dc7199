// kmem_cache_free: what is no cache ends the program
// expect: heapwright: kmem_cache_free: {it} is no cache
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("pages");
    kmem_cache_free((struct kmem_cache *)shown(pool), &pool);
    return 0;
}
