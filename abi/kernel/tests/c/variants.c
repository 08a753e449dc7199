// ..._node(), vmalloc_array, vcalloc: as those without; a product above SIZE_MAX is NULL
#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("cache", 40, 0, 0, NULL);
    void *object = kmem_cache_alloc_node(cache, GFP_KERNEL, 0);
    CHECK(object != NULL);
    kmem_cache_free(cache, object);
    kmem_cache_destroy(cache);
    void *block = kmalloc_node(100, GFP_KERNEL, NUMA_NO_NODE);
    CHECK(ksize(block) == 128);
    kfree(block);
    block = kzalloc_node(100, GFP_KERNEL, NUMA_NO_NODE);
    CHECK(is_all(block, 100, 0));
    kfree(block);
    block = kcalloc_node(10, 10, GFP_KERNEL, NUMA_NO_NODE);
    CHECK(is_all(block, 100, 0));
    kfree(block);
    block = kvmalloc_node(100, GFP_KERNEL, NUMA_NO_NODE);
    CHECK(block != NULL);
    kvfree(block);
    char *area = vmalloc_node(5000, NUMA_NO_NODE);
    CHECK(is_vmalloc_addr(area));
    vfree(area);
    area = vzalloc_node(5000, NUMA_NO_NODE);
    CHECK(is_all(area, 5000, 0));
    vfree(area);
    area = vmalloc_array(100, 100);
    CHECK(is_vmalloc_addr(area + 9999));
    vfree(area);
    area = vcalloc(100, 100);
    CHECK(is_all(area, 10000, 0));
    vfree(area);
    volatile size_t half = SIZE_MAX / 2 + 1;
    CHECK(vmalloc_array(half, 2) == NULL && vcalloc(2, half) == NULL && vcalloc(half, 0) == NULL);
    return 0;
}
