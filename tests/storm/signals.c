// Signals interrupt threads that allocate, on the stack and on alternative stacks that were allocated; handlers do only what is
// async-signal-safe. Meanwhile other threads are cancelled, and their clean-up handlers free what they hold.
#include "storm.h"

enum { WORKERS = 4, CANCELLED = 4 };

static void on_signal(int number, siginfo_t *info, void *context) {
    int error = errno;
    char byte = (char)number;
    struct timespec time;
    (void)info, (void)context;
    clock_gettime(CLOCK_MONOTONIC, &time);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, &byte, 1) != 1) _exit(3);
        close(fd);
    }
    atomic_fetch_add_explicit(&counts->signals, 1, memory_order_relaxed);
    errno = error;
}

static void *work(void *argument) {
    struct own *own = calloc(1, sizeof *own);
    own->state = storm.seed + (uintptr_t)argument;
    stack_t alternative = {.ss_sp = malloc(64 * KIB), .ss_size = 64 * KIB}, none = {.ss_flags = SS_DISABLE};
    CHECK(alternative.ss_sp && sigaltstack(&alternative, NULL) == 0, "sigaltstack fails");
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        one_step(own);
        errno = EDOM;
        free(hide(malloc(24)));
        CHECK(errno == EDOM, "free or a handler changed errno to %d", errno);
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    CHECK(sigaltstack(&none, NULL) == 0, "sigaltstack cannot be switched off");
    free(alternative.ss_sp);
    free_own(own);
    free(own);
    return NULL;
}

static void clean_up(void *argument) {
    void **blocks = argument;
    for (int i = 0; i < 8; i++) give_back(blocks[i]), blocks[i] = NULL;
    uint64_t state = (uintptr_t)&state;
    work_alone(&state, 20);
}

static void *until_cancelled(void *argument) {
    uint64_t state = storm.seed ^ (uintptr_t)argument;
    void *blocks[8] = {0};
    pthread_cleanup_push(clean_up, blocks);
    for (int at = 0;; at = (at + 1) % 8) {
        give_back(blocks[at]);
        blocks[at] = NULL;
        blocks[at] = must_obtain(&state, any_size(&state));
        pthread_testcancel();
    }
    pthread_cleanup_pop(1);
    return NULL;
}

int main(int count, char **arguments) {
    other_name = "cancelled";
    storm_begin(count, arguments);
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    action.sa_flags |= SA_ONSTACK;
    sigaction(SIGUSR2, &action, NULL);
    sigaction(SIGPROF, &action, NULL);
    sigset_t all, before;
    sigfillset(&all);
    uint64_t state = storm.seed;
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS], cancelled[CANCELLED];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        timer_t timer;
        struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF};
        struct itimerspec often = {{0, 300000}, {0, 300000}};
        CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create fails with errno %d", errno);
        timer_settime(timer, 0, &often, NULL);
        for (double end = now() + 0.7; now() < end; beat()) {
            // They inherit the mask: write in a handler that interrupted malloc would be a point of cancellation inside of malloc.
            pthread_sigmask(SIG_BLOCK, &all, &before);
            for (uint64_t i = 0; i < CANCELLED; i++) start(&cancelled[i], until_cancelled, random_next(&state));
            pthread_sigmask(SIG_SETMASK, &before, NULL);
            for (int i = 0; i < 300; i++) {
                // A queue of signals that is full is no failure.
                pthread_kill(threads[draw(&state, WORKERS)], draw(&state, 2) ? SIGUSR1 : SIGUSR2);
                if (i % 30 == 0) usleep(100);
            }
            for (int i = 0; i < CANCELLED; i++) pthread_cancel(cancelled[i]), atomic_fetch_add(&counts->other, 1);
            for (int i = 0; i < CANCELLED; i++) {
                void *result;
                CHECK(pthread_join(cancelled[i], &result) == 0 && result == PTHREAD_CANCELED, "a cancelled thread returns %p", result);
            }
        }
        timer_delete(timer);
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        free_shared();
        rest();
    }
    return storm_end();
}
