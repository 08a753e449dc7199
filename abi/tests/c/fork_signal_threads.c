// survival: fork in a signal handler that interrupts malloc, in any thread while others allocate; the children only end, as POSIX
//   asks (glibc's own malloc hangs here; so does its fork in a fork, so there is one at a time)
// again: HEAPWRIGHT=safe=1
#include "forking.h"

static atomic_int forks, busy;

static void handler(int number) {
    (void)number;
    if (atomic_exchange(&busy, 1)) return;
    fork_and_end();
    atomic_fetch_add(&forks, 1);
    atomic_store(&busy, 0);
}

static void *allocate(void *argument) {
    uint64_t state = (uintptr_t)argument;
    while (!atomic_load(&stop_churning)) allocate_some(&state);
    return NULL;
}

int main(void) {
    pthread_t threads[3];
    uint64_t state = 7;
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, allocate, (void *)i);
    interrupt_every(2000, handler);
    double wanted = trials(120);
    for (int round = 0; atomic_load(&forks) < wanted; round++) {
        allocate_some(&state);
        // Signals go to any thread that does not block them.
        if (round % 5 == 0) pthread_kill(threads[round % 3], SIGALRM);
    }
    interrupt_after = 0;
    stop_and_join(threads, 3);
    // The last signal may still come, in the middle of a fork below.
    atomic_store(&busy, 1);
    use_every_size();
    fork_and_use("child at the end");
    return 0;
}
