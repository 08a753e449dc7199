// kmem_cache_create with SLAB_PANIC: what cannot be made ends the program
// expect: heapwright: kmem_cache_create: cache session: objects of no bytes
#include "check.h"

int main(void) {
    return kmem_cache_create("session", 0, 0, SLAB_PANIC, NULL) == NULL;
}
