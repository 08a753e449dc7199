// kmem_cache_destroy, zs_destroy_pool, xv_destroy_pool: what was destroyed costs no memory, however much it was
#include "check.h"

static void some(int count) {
    for (int i = 0; i < count; i++) {
        struct kmem_cache *cache = kmem_cache_create("cache", 64, 0, 0, NULL), *none;
        struct zs_pool *zs = zs_create_pool("pool");
        struct xv_pool *xv = xv_create_pool();
        CHECK(cache && zs && xv);
        kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
        CHECK((none = kmem_cache_create("none", 64, 3, 0, NULL)) == NULL);
        kmem_cache_destroy(cache);
        zs_destroy_pool(zs);
        xv_destroy_pool(xv);
    }
}

int main(void) {
    some(1000);
    unsigned long resident = resident_kib();
    some(10000);
    CHECK(resident_kib() < resident + 1024 && heapwright_kernel_check() == 0);
    return 0;
}
