// kmem_cache_prefill_sheaf: more objects than the machine has memory for are refused at once, and take none
#include <limits.h>

#include "check.h"

// Kilobytes of memory that the process has had at most.
static long peak_kib(void) {
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
    return usage.ru_maxrss;
}

int main(void) {
    // Of so many addresses a quarter is for pages, which a sheaf of MANY and its places do not fit into.
    enum { MANY = 15 << 20 };
    struct rlimit limit = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    struct kmem_cache *cache = kmem_cache_create("cache", 64, 0, 0, NULL);
    struct slab_sheaf *sheaf = kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 10), *before = sheaf;
    CHECK(sheaf != NULL);
    long peak = peak_kib();
    CHECK(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, UINT_MAX) == NULL);
    CHECK(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, MANY) == NULL);
    CHECK(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, UINT_MAX) == -ENOMEM);
    CHECK(kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, MANY) == -ENOMEM);
    CHECK(sheaf == before && kmem_cache_sheaf_size(sheaf) == 10 && peak_kib() < peak + 1024);
    // Not even as many are taken as it once had.
    void *object = kmem_cache_alloc_from_sheaf(cache, GFP_KERNEL, sheaf);
    CHECK(object != NULL && kmem_cache_refill_sheaf(cache, GFP_KERNEL, &sheaf, MANY) == -ENOMEM);
    CHECK(sheaf == before && kmem_cache_sheaf_size(sheaf) == 9);
    kmem_cache_free(cache, object);
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
    CHECK(kmem_cache_shrink(cache) == 0 && heapwright_kernel_check() == 0);
    kmem_cache_destroy(cache);
    // As large as objects can be: no product overflows.
    cache = kmem_cache_create("largest", 4u << 20, 0, 0, NULL);
    CHECK(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, UINT_MAX) == NULL && kmem_cache_shrink(cache) == 0);
    kmem_cache_destroy(cache);
    return 0;
}
