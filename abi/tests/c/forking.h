// Forking, and what is expected of a child: it can allocate in every size, and it ends.
#ifndef FORKING_H
#define FORKING_H

#include <signal.h>
#include <sys/time.h>

#include "threads.h"

// Forks a child that allocates in every size.
static inline void fork_and_use(const char *who) {
    pid_t child = fork();
    if (child == 0) {
        alarm(50);
        use_every_size();
        _exit(0);
    }
    ended_well(child, who);
}

// Forks many children, of which every tenth allocates in every size.
static inline void fork_many(int count, const char *who) {
    count = (int)trials(count);
    for (int i = 0; i < count; i++) {
        if (i % 10 == 0) {
            fork_and_use(who);
            continue;
        }
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            free(malloc(i * 50));
            _exit(0);
        }
        ended_well(child, who);
    }
}

// From a signal handler: the child only ends.
static inline void fork_and_end(void) {
    int kept = errno;
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (end_of(child) != 0) _exit(9);
    errno = kept;
}

static void (*when_interrupted)(int);
static volatile int interrupt_after;

// One more SIGALRM; none when `interrupt_after` is 0.
static inline void interrupt_again(void) {
    struct itimerval timer = {{0, 0}, {0, interrupt_after}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void on_interrupt(int number) {
    when_interrupted(number);
    interrupt_again();
}

// SIGALRM, and again `microseconds` after each time `handler` has ended: on a busy machine a handler that forks takes longer
// than that, and the program would never go on.
static inline void interrupt_every(int microseconds, void (*handler)(int)) {
    when_interrupted = handler, interrupt_after = microseconds;
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    interrupt_again();
}

// Blocks taken and freed so that magazines, slabs, runs and mappings all come and go.
static inline void allocate_some(uint64_t *state) {
    static __thread void *blocks[300];
    for (int i = 0; i < 300; i++) {
        size_t at = random_next(state) % 300;
        free(blocks[at]);
        blocks[at] = malloc(random_next(state) % 70000);
    }
}

#endif
