// kmem_cache_create: a constructor may use other caches and blocks, while other threads free the cache's objects by kfree()
#include "check.h"

enum { ROUNDS = 20000, COUNT = 64 };

static struct kmem_cache *built, *other;

static void construct(void *object) {
    *(long *)object = 0x5afe;
    void *found = kmem_cache_alloc(other, GFP_KERNEL), *block = kmalloc(100, GFP_KERNEL);
    CHECK(found && block && ksize(found) == 72 && ksize(block) == 128);
    kfree(found);
    kfree(block);
    vfree(vmalloc(100));
}

static void *shrink(void *unused) {
    void *objects[COUNT];
    for (int round = 0; round < ROUNDS / COUNT; round++) {
        for (int i = 0; i < COUNT; i++) CHECK((objects[i] = kmem_cache_alloc(built, GFP_KERNEL)) && *(long *)objects[i] == 0x5afe);
        for (int i = 0; i < COUNT; i++) kmem_cache_free(built, objects[i]);
        kmem_cache_shrink(built);
    }
    return unused;
}

static void *free_anywhere(void *unused) {
    for (int round = 0; round < ROUNDS; round++) {
        void *object = kmem_cache_alloc(built, GFP_KERNEL);
        CHECK(object && ksize(object) == 2048);
        kfree(object);
    }
    return unused;
}

int main(void) {
    // Whichever is the newer one.
    for (int order = 0; order < 2; order++) {
        if (order) built = kmem_cache_create("built", 2048, 0, 0, construct);
        other = kmem_cache_create("other", 72, 0, 0, NULL);
        if (!order) built = kmem_cache_create("built", 2048, 0, 0, construct);
        pthread_t threads[3];
        for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, i ? free_anywhere : shrink, NULL);
        for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
        CHECK(heapwright_kernel_check() == 0);
        kmem_cache_destroy(built);
        kmem_cache_destroy(other);
    }
    return 0;
}
