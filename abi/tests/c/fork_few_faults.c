// survival: the child of a fork that ends at once does not touch what the parent's threads keep: no page of it is copied
// also: glibc
#include <sys/resource.h>

#include "threads.h"

enum { THREADS = 4, OBJECTS = 12000, SIZES = 16, MOST_FAULTS = 1000 };

// Of many sizes: a cache holds so much of each only.
static size_t size_of(int i) { return 100 + (size_t)(i % SIZES) * 100; }

static pthread_barrier_t filled, ended;

static void *keep(void *argument) {
    static void *all[THREADS][OBJECTS];
    void **mine = all[(uintptr_t)argument];
    // Again and again: a cache may hold more only after a while.
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < OBJECTS; i++) CHECK((mine[i] = malloc(size_of(i))) != NULL, "malloc is NULL");
        for (int i = 0; i < OBJECTS; i++) memset(mine[i], 1, size_of(i)), free(mine[i]);
    }
    pthread_barrier_wait(&filled);
    pthread_barrier_wait(&ended);
    return NULL;
}

static long faults(void) {
    struct rusage used;
    CHECK(getrusage(RUSAGE_SELF, &used) == 0, "getrusage fails");
    return used.ru_minflt;
}

int main(void) {
    alarm(55);
    pthread_t threads[THREADS];
    pthread_barrier_init(&filled, NULL, THREADS + 1);
    pthread_barrier_init(&ended, NULL, THREADS + 1);
    for (uintptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, keep, (void *)i) == 0, "pthread_create fails");
    pthread_barrier_wait(&filled);
    pid_t child = fork();
    if (child == 0) {
        // The child's own count begins at 0; some 40 MB are free.
        long count = faults();
        CHECK(count < MOST_FAULTS, "fork took %ld page faults in the child", count);
        // And what they kept serves.
        for (int i = 0; i < OBJECTS; i++) {
            char *block = malloc(size_of(i));
            CHECK(block != NULL, "malloc is NULL in the child");
            memset(block, 2, size_of(i));
        }
        _exit(0);
    }
    ended_well(child, "child");
    pthread_barrier_wait(&ended);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
