// kmem_cache_create: what makes no cache is NULL; a cache knows the size it was made for
#include "check.h"

struct item {
    long key;
    char name[10];
};

int main(void) {
    CHECK(kmem_cache_create(NULL, 40, 0, 0, NULL) == NULL);
    CHECK(kmem_cache_create("", 40, 0, 0, NULL) == NULL);
    CHECK(kmem_cache_create("empty", 0, 0, 0, NULL) == NULL);
    CHECK(kmem_cache_create("large", (4 << 20) + 1, 0, 0, NULL) == NULL);
    CHECK(kmem_cache_create("three", 40, 3, 0, NULL) == NULL);
    CHECK(kmem_cache_create("aligned", 40, 8192, 0, NULL) == NULL);
    for (unsigned size = 1; size <= 20000; size = size * 5 / 4 + 1) {
        for (unsigned align = 0; align <= 4096; align = align ? align * 2 : 1) {
            struct kmem_cache *cache = kmem_cache_create("cache", size, align, 0, NULL);
            CHECK(cache != NULL && kmem_cache_size(cache) == size);
            void *first = kmem_cache_alloc(cache, GFP_KERNEL), *second = kmem_cache_alloc(cache, GFP_KERNEL);
            CHECK(first && second && first != second && aligned(first, align > 8 ? align : 8) && aligned(second, align > 8 ? align : 8));
            fill(first, size, 1);
            fill(second, size, 2);
            CHECK(is_filled(first, size, 1));
            kmem_cache_free(cache, first);
            CHECK(is_filled(second, size, 2));
            kmem_cache_free(cache, second);
            kmem_cache_destroy(cache);
        }
    }
    struct kmem_cache *lines = kmem_cache_create("lines", 40, 0, SLAB_HWCACHE_ALIGN, NULL);
    void *line = kmem_cache_alloc(lines, GFP_KERNEL);
    CHECK(aligned(line, 64));
    kmem_cache_free(lines, line);
    kmem_cache_destroy(lines);
    struct kmem_cache *items = KMEM_CACHE(item, SLAB_PANIC | SLAB_ACCOUNT);
    CHECK(kmem_cache_size(items) == sizeof(struct item));
    kmem_cache_destroy(items);
    kmem_cache_destroy(NULL);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
