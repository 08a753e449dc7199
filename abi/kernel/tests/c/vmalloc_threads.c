// vmalloc, vfree: from many threads, areas freed by others than who allocated
#include "check.h"

enum { THREADS = 4, SLOTS = 64 };

static unsigned char *slots[SLOTS];

static void *work(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number + 1;
    unsigned rounds = (unsigned)trials(4000);
    for (unsigned round = 0; round < rounds; round++) {
        uint32_t size = 8 + random_next(&seed) % 40000;
        unsigned char *area = vmalloc(size);
        CHECK(area != NULL);
        memcpy(area, &size, 4);
        area[size - 1] = (unsigned char)size;
        area = __atomic_exchange_n(&slots[random_next(&seed) % SLOTS], area, __ATOMIC_ACQ_REL);
        if (!area) continue;
        memcpy(&size, area, 4);
        CHECK(area[size - 1] == (unsigned char)size && vmalloc_to_page(area) != NULL);
        vfree(area);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < SLOTS; i++) vfree(slots[i]);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
