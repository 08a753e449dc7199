// kmem_cache_alloc: a cache that is NULL ends the program
// expect: heapwright: kmem_cache_alloc: the cache is NULL
#include "check.h"

int main(void) {
    return kmem_cache_alloc(hide(NULL), GFP_KERNEL) == NULL;
}
