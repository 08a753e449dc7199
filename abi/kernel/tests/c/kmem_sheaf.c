// kmem_cache_prefill_sheaf: as many allocations as it was filled with cannot fail, also when there is no memory
#include "check.h"

enum { COUNT = 100, SIZE = 2000, MOST = 100000 };

int main(void) {
    static void *objects[COUNT], *rest[MOST];
    struct kmem_cache *cache = kmem_cache_create("cache", SIZE, 0, 0, NULL);
    struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, COUNT);
    CHECK(sheaf != NULL && kmem_cache_sheaf_size(sheaf) == COUNT);
    refuse_above((size_t)16 << 20);
    unsigned count = 0;
    while (count < MOST && (rest[count] = kmem_cache_alloc(cache, GFP_KERNEL)) != NULL) count++;
    CHECK(count < MOST);
    for (unsigned i = 0; i < COUNT; i++) {
        objects[i] = kmem_cache_alloc_from_sheaf(cache, GFP_KERNEL | __GFP_ZERO, sheaf);
        CHECK(objects[i] != NULL && kmem_cache_sheaf_size(sheaf) == COUNT - 1 - i && is_all(objects[i], SIZE, 0));
        fill(objects[i], SIZE, i);
    }
    CHECK(kmem_cache_alloc_from_sheaf(cache, GFP_KERNEL, sheaf) == NULL);
    CHECK(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, COUNT) == -ENOMEM && kmem_cache_sheaf_size(sheaf) == 0);
    for (unsigned i = 0; i < COUNT; i++) CHECK(is_filled(objects[i], SIZE, i));
    refuse_none();
    // To as many as before, to fewer, and to more.
    CHECK(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, COUNT) == 0 && kmem_cache_sheaf_size(sheaf) == COUNT);
    CHECK(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 10) == 0 && kmem_cache_sheaf_size(sheaf) == COUNT);
    CHECK(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, 3 * COUNT) == 0 && kmem_cache_sheaf_size(sheaf) == 3 * COUNT);
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
    sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 0);
    CHECK(sheaf != NULL && kmem_cache_sheaf_size(sheaf) == 0);
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
    for (unsigned i = 0; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
    for (unsigned i = 0; i < count; i++) kmem_cache_free(cache, rest[i]);
    CHECK(kmem_cache_shrink(cache) == 0 && heapwright_kernel_check() == 0);
    kmem_cache_destroy(cache);
    return 0;
}
