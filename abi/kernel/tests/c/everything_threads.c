// every function from many threads at once: caches and pools come and go, everybody keeps what is his
#include "everything.h"

enum { THREADS = 4 };

int main(void) {
    pthread_t threads[THREADS];
    rounds = (unsigned)trials(300);
    shared = kmem_cache_create("shared", 100, 0, 0, NULL);
    // Once alone, without locks; then together; then alone again.
    work((void *)9);
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    work((void *)9);
    kmem_cache_destroy(shared);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
