// kmem_cache_*: threads allocate, hand objects to each other and free them; a thread that ends leaves nothing behind
#include "check.h"

enum { THREADS = 4, SLOTS = 1024, ROUNDS = 100000, SIZE = 72 };

static struct kmem_cache *cache;
static void *slots[SLOTS];

static void *work(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number + 1;
    void *bulk[16];
    for (unsigned round = 0; round < ROUNDS; round++) {
        void *object = kmem_cache_alloc(cache, GFP_KERNEL);
        CHECK(object != NULL);
        memset(object, (int)(round & 0x7f) + 1, SIZE);
        object = __atomic_exchange_n(&slots[random_next(&seed) % SLOTS], object, __ATOMIC_ACQ_REL);
        if (object) {
            CHECK(is_all(object, SIZE, *(unsigned char *)object));
            kmem_cache_free(cache, object);
        }
        if (round % 64 == 0) {
            CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, 16, bulk) == 16);
            kmem_cache_free_bulk(cache, 16, bulk);
        }
        if (round % 10000 == 0) kmem_cache_shrink(cache);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    cache = kmem_cache_create("shared", SIZE, 0, 0, NULL);
    for (int i = 0; i < 3; i++) {
        for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
        for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
        CHECK(heapwright_kernel_check() == 0);
    }
    for (int i = 0; i < SLOTS; i++)
        if (slots[i]) kmem_cache_free(cache, slots[i]);
    // What the threads kept is there again.
    CHECK(kmem_cache_shrink(cache) == 0);
    kmem_cache_destroy(cache);
    return 0;
}
