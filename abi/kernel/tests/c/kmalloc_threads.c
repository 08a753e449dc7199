// kmalloc, krealloc, kfree: from many threads, blocks freed by others than who allocated
#include "check.h"

enum { THREADS = 4, SLOTS = 512, ROUNDS = 60000 };

static unsigned char *slots[SLOTS];

static void *work(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number + 1;
    for (unsigned round = 0; round < ROUNDS; round++) {
        size_t size = 4 + random_next(&seed) % (round % 256 ? 2000 : 30000);
        unsigned char *block = kmalloc(size, GFP_KERNEL);
        CHECK(block != NULL);
        memcpy(block, &(uint32_t){(uint32_t)size}, 4);
        memset(block + 4, (int)(size & 0xff), size - 4);
        block = __atomic_exchange_n(&slots[random_next(&seed) % SLOTS], block, __ATOMIC_ACQ_REL);
        if (!block) continue;
        uint32_t had;
        memcpy(&had, block, 4);
        CHECK(is_all(block + 4, had - 4, (unsigned char)had) && ksize(block) >= had);
        if (round % 4 == 0) {
            block = krealloc(block, had + 100, GFP_KERNEL);
            CHECK(is_all(block + 4, had - 4, (unsigned char)had));
        }
        kfree(block);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++) kfree(slots[i]);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
