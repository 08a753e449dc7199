// kmem_cache_alloc_bulk: without memory for all it is 0, and nothing is lost
#include "check.h"

enum { BULK = 64, SIZE = 4096, MOST = 10000 };

int main(void) {
    static void *objects[MOST][BULK];
    struct kmem_cache *cache = kmem_cache_create("bulk", SIZE, 0, 0, NULL);
    refuse_above((size_t)32 << 20);
    unsigned count = 0;
    while (count < MOST && kmem_cache_alloc_bulk(cache, GFP_KERNEL, BULK, objects[count]) == BULK) count++;
    CHECK(count > 50 && count < MOST && heapwright_kernel_check() == 0);
    // Fewer than a bulk are left, one by one.
    unsigned left = 0;
    void *single[BULK];
    while (left < BULK && (single[left] = kmem_cache_alloc(cache, GFP_KERNEL)) != NULL) left++;
    CHECK(left < BULK);
    // One bulk back, one bulk out.
    kmem_cache_free_bulk(cache, left, single);
    kmem_cache_free_bulk(cache, BULK, objects[--count]);
    CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, BULK, objects[count]) == BULK);
    for (unsigned i = 0; i <= count; i++) kmem_cache_free_bulk(cache, BULK, objects[i]);
    refuse_none();
    CHECK(heapwright_kernel_check() == 0);
    kmem_cache_destroy(cache);
    return 0;
}
