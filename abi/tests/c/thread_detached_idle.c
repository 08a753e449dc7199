// survival: detached threads that never allocate come and go: what the C library frees when they have ended leaves nothing behind
// also: glibc
#include "threads.h"

// More stacks at once than the C library keeps, so that each thread that ends frees another's.
enum { ROUNDS = 300, EARLY = 30, LIVE = 12 };

static pthread_barrier_t all_started;
static atomic_int ended;

static void *idle(void *argument) {
    pthread_barrier_wait(&all_started);
    atomic_fetch_add(&ended, 1);
    return argument;
}

int main(void) {
    alarm(110);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, 8 * MIB);
    pthread_barrier_init(&all_started, NULL, LIVE + 1);
    size_t early = 0;
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t thread;
        for (int i = 0; i < LIVE; i++) CHECK(pthread_create(&thread, &attributes, idle, NULL) == 0, "pthread_create fails in round %d", round);
        pthread_barrier_wait(&all_started);
        while (ended < LIVE * (round + 1)) usleep(100);
        // They free after that.
        usleep(3000);
        if (round == EARLY) early = resident();
    }
    size_t late = resident();
    CHECK(late < early + 1 * MIB, "resident memory grew from %zu KiB after %d threads to %zu KiB after %d", early / KIB, EARLY * LIVE, late / KIB, ROUNDS * LIVE);
    return 0;
}
