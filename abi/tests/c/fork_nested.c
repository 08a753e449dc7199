// POSIX.1-2024 fork: handlers of fork may be interrupted by a signal handler that forks, and child handlers may fork themselves:
//   the inner child goes on with the outer fork, alone
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "forking.h"

static volatile int armed, inner, depth;
static pid_t outer;

static void handler(int number) {
    (void)number;
    pid_t child = fork();
    if (child == 0) {
        inner++;
        return;
    }
    if (end_of(child) != 0) _exit(9);
}

static void prepare(void) {
    if (armed && depth++ == 0) raise(SIGUSR1);
}

static void parent(void) {
    if (armed) use_every_size();
}

static void child(void) {
    if (!armed) return;
    use_every_size();
    if (armed == 2) {
        armed = 0;
        fork_and_use("child of a child handler");
    }
}

int main(void) {
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    pthread_atfork(prepare, parent, child);
    pthread_t threads[2];
    start_churning(threads, 2);
    for (int round = 0; round < 12; round++) {
        armed = 1 + round % 2, depth = inner = 0;
        pid_t pid = fork();
        if (pid == 0) {
            alarm(50);
            use_every_size();
            _exit(0);
        }
        armed = 0;
        ended_well(pid, "child");
        use_every_size();
        if (inner) {
            // The inner child, back from its own outer fork as a parent.
            fork_and_use("child of the inner child");
            _exit(0);
        }
    }
    (void)outer;
    stop_and_join(threads, 2);
    return 0;
}
