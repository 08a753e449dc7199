// survival: a filter that kills for mincore and process_madvise, installed while another thread begins: nobody makes them
// long: only on the flagship
// also: glibc
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "filter.h"

#ifndef SYS_process_madvise
#define SYS_process_madvise 440
#endif

enum { ROUNDS = 400, SMALL = 40000, LARGE = 40 };

static atomic_int begun;

// The first request of a second thread is when a malloc may look around.
static void *begin(void *unused) {
    atomic_store(&begun, 1);
    free(hide(malloc(100)));
    for (;;) pause();
    return unused;
}

static long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

// What gives memory back in pieces, and takes large blocks of which little is touched.
static void work(void) {
    static char *blocks[SMALL];
    for (int i = 0; i < SMALL; i++) {
        blocks[i] = malloc(500);
        CHECK(blocks[i] != NULL, "malloc(500) is NULL");
        memset(blocks[i], 1, 500);
    }
    for (int i = 0; i < SMALL; i++)
        if (i % 20) free(blocks[i]);
    for (int i = 0; i < LARGE; i++) {
        char *block = malloc(600000);
        CHECK(block != NULL, "malloc(600000) is NULL");
        *(char *)hide(block) = 1;
    }
}

static void confined(long delay) {
    static const int calls[] = {SYS_mincore, SYS_process_madvise};
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, begin, NULL) == 0, "no thread");
    while (!atomic_load(&begun)) continue;
    for (long end = nanoseconds() + delay; nanoseconds() < end;) continue;
    if (filter_calls(calls, 2, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0)) _exit(SKIPPED);
    usleep(1000);
    work();
    _exit(0);
}

int main(void) {
    alarm(55);
    uint64_t state = 1;
    // On a busy machine fewer rounds: each lasts 20 ms on a quiet one.
    long end = nanoseconds() + 15000000000L;
    for (int round = 0; round < trials(ROUNDS) && nanoseconds() < end; round++) {
        long delay = (long)(random_next(&state) % 200000);
        pid_t child = fork();
        if (child == 0) confined(delay);
        int status = confined_end(child);
        CHECK(status == 0, "round %d, confined %ld ns after the thread began: status %#x", round, delay, status);
    }
    return 0;
}
