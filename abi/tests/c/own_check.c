// heapwright.h: heapwright_check is 0 at every moment of a program that makes no mistakes, and keeps errno
// link: heapwright
#include <heapwright.h>
#include <pthread.h>

#include "check.h"

enum { SLOTS = 3000, ROUNDS = 150, THREADS = 3 };

static void *churn(void *argument) {
    uint64_t state = (uintptr_t)argument;
    char **slots = calloc(SLOTS, sizeof *slots);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 300; i++) {
            size_t at = random_next(&state) % SLOTS, size = (size_t)1 << random_next(&state) % 19;
            free(slots[at]);
            slots[at] = random_next(&state) % 8 ? malloc(size) : aligned_alloc(size, size);
            CHECK(slots[at] != NULL, "an allocation of %zu is NULL", size);
            slots[at][0] = slots[at][size - 1] = 1;
        }
        if (state % 16 == 0) {
            errno = 4242;
            CHECK(heapwright_check() == 0, "heapwright_check() is not 0 in round %d", round);
            CHECK(errno == 4242, "heapwright_check() sets errno to %d", errno);
        }
    }
    for (int i = 0; i < SLOTS; i++) free(slots[i]);
    free(slots);
    return NULL;
}

int main(void) {
    churn((void *)9);
    CHECK(heapwright_check() == 0, "heapwright_check() is not 0 after one thread's work");
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK(heapwright_check() == 0, "heapwright_check() is not 0 after all threads ended");
    return 0;
}
