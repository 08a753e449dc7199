// Waves of threads: all are there at once, use some sizes, and end. Their stacks are the program's own, so that what is resident
// afterwards is malloc's.
#ifndef WAVES_H
#define WAVES_H

#include <pthread.h>
#include <sys/mman.h>

#include "check.h"

enum { THREADS = 2000, SIZES = 20, STACK = 64 << 10 };

static pthread_barrier_t all_there;
static size_t before_waves;

static void *use_some_sizes(void *unused) {
    (void)unused;
    char *blocks[SIZES];
    for (int i = 0; i < SIZES; i++) {
        CHECK((blocks[i] = malloc(16 + (size_t)i * 50)) != NULL, "malloc is NULL");
        memset(blocks[i], 1, 16);
    }
    for (int i = 0; i < SIZES; i++) free(blocks[i]);
    pthread_barrier_wait(&all_there);
    return NULL;
}

static inline void wave(void) {
    static pthread_t threads[THREADS];
    if (before_waves == 0) {
        free(hide(malloc(1)));
        memset(threads, 1, sizeof threads);
        before_waves = resident();
    }
    size_t length = (size_t)THREADS * STACK;
    char *stacks = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(stacks != MAP_FAILED, "no addresses for stacks");
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_attr_setstack(&attributes, stacks + (size_t)i * STACK, STACK);
        int error = pthread_create(&threads[i], &attributes, use_some_sizes, NULL);
        if (error) SKIP("a thread cannot be made: error %d", error);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_attr_destroy(&attributes);
    CHECK(munmap(stacks, length) == 0, "munmap fails");
}

#endif
