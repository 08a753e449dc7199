// Threads that allocate until they are told to stop, for programs that do something else meanwhile.
#ifndef THREADS_H
#define THREADS_H

#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static atomic_int stop_churning;

// Allocates and frees blocks of 1 byte to 256 KiB, with some realloc and alignment, filling and verifying each.
static void *churn_until_stopped(void *argument) {
    enum { SLOTS = 200 };
    void *slots[SLOTS] = {0};
    size_t sizes[SLOTS] = {0};
    uint64_t state = (uintptr_t)argument + 1;
    while (!atomic_load_explicit(&stop_churning, memory_order_relaxed)) {
        size_t at = random_next(&state) % SLOTS, size = (size_t)1 << random_next(&state) % 18;
        size += random_next(&state) % size;
        if (slots[at]) {
            size_t part = sizes[at] < 100 ? sizes[at] : 100, wrong = first_difference(slots[at], part, (unsigned)at);
            CHECK(wrong == part, "byte %zu of a block of %zu was overwritten", wrong, sizes[at]);
        }
        switch (random_next(&state) % 8) {
        case 0: slots[at] = realloc(slots[at], size); break;
        case 1: free(slots[at]), slots[at] = aligned_alloc(256, size); break;
        case 2: free(slots[at]), slots[at] = calloc(1, size); break;
        default: free(slots[at]), slots[at] = malloc(size);
        }
        CHECK(slots[at] != NULL, "an allocation of %zu is NULL", size);
        sizes[at] = size;
        fill(slots[at], size < 100 ? size : 100, (unsigned)at);
    }
    for (int i = 0; i < SLOTS; i++) free(slots[i]);
    return NULL;
}

static inline void start_churning(pthread_t *threads, int count) {
    atomic_store(&stop_churning, 0);
    for (int i = 0; i < count; i++)
        CHECK(pthread_create(&threads[i], NULL, churn_until_stopped, (void *)(uintptr_t)i) == 0, "pthread_create fails");
}

static inline void stop_and_join(pthread_t *threads, int count) {
    atomic_store(&stop_churning, 1);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

// A block of every size class and some large ones: allocated, filled, verified, freed, twice.
static inline void use_every_size(void) {
    enum { MOST = 400 };
    static __thread void *blocks[MOST];
    static __thread size_t sizes[MOST];
    for (int round = 0; round < 2; round++) {
        int count = 0;
        for (size_t size = 1; size < 3 * MIB && count < MOST; size = size < 128 ? size + 3 : size + size / 9) {
            blocks[count] = malloc(size);
            CHECK(blocks[count] != NULL, "malloc(%zu) is NULL", size);
            sizes[count] = size < 300 ? size : 300;
            fill(blocks[count], sizes[count], (unsigned)count);
            count++;
        }
        for (int i = 0; i < count; i++) {
            size_t at = first_difference(blocks[i], sizes[i], (unsigned)i);
            CHECK(at == sizes[i], "byte %zu of block %d was overwritten", at, i);
            free(blocks[i]);
        }
    }
}

#endif
