// heapwright.h: heapwright_purge takes the blocks of 80 to 256 KiB that idle threads keep too, and what threads keep has a bound for all
// link: heapwright
#include <heapwright.h>

#include "threads.h"

enum { THREADS = 100, EACH = 4, ROUNDS = 3 };

static const size_t size = 250 * KIB;
static pthread_barrier_t barrier;

static void *work(void *argument) {
    char *blocks[EACH];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < EACH; i++) {
            CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
            memset(blocks[i], 1, size);
        }
        for (int i = 0; i < EACH; i++) free(blocks[i]);
    }
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < EACH; i++) fill(blocks[i] = malloc(size), size, (unsigned)i);
    for (int i = 0; i < EACH; i++) {
        CHECK(first_difference(blocks[i], size, (unsigned)i) == size, "a block was overwritten");
        free(blocks[i]);
    }
    return argument;
}

int main(void) {
    alarm(55);
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    size_t before = resident();
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0, "pthread_create fails");
    pthread_barrier_wait(&barrier);
    size_t idle = resident() - before;
    heapwright_purge();
    size_t left = resident() - before;
    CHECK(idle < 64 * MIB, "%d threads keep %zu MiB, none of it live", THREADS, idle / MIB);
    CHECK(left < 8 * MIB, "%zu MiB are left", left / MIB);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK(heapwright_check() == 0, "the heap is broken");
    return 0;
}
