// A program of one thread forks in the handler of a timer, which interrupts malloc and free: fork is async-signal-safe there, and
// the child does nothing but end, fork again or start another program.
#include "storm.h"

static timer_t timer;
static volatile sig_atomic_t armed;
static uint64_t handler_state;

static void arm(void) {
    struct itimerspec when = {{0, 0}, {0, 50000 + (long)draw(&handler_state, 1500000)}};
    timer_settime(timer, 0, &when, NULL);
}

static void on_timer(int number) {
    int error = errno;
    (void)number;
    atomic_fetch_add_explicit(&counts->signals, 1, memory_order_relaxed);
    uint64_t kind = draw(&handler_state, 20);
    pid_t child = fork();
    if (child == 0) {
        if (kind == 0) execl("/proc/self/exe", "fork_signal", "end", NULL);
        if (kind < 5) {
            child = fork();
            if (child > 0) waitpid(child, NULL, 0);
        }
        _exit(0);
    }
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    if (child < 0 || status != 0) _exit(3);
    atomic_fetch_add_explicit(&counts->forks, 1, memory_order_relaxed);
    if (armed) arm();
    errno = error;
}

int main(int count, char **arguments) {
    if (count == 2) return free(hide(malloc(100))), 0;
    storm_begin(count, arguments);
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    sigaction(SIGALRM, &action, NULL);
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create fails with errno %d", errno);
    uint64_t state = storm.seed;
    handler_state = storm.seed + 1;
    static void *blocks[1009];
    while (!over()) {
        double end = now() + 0.5;
        armed = 1;
        arm();
        while (now() < end) {
            for (int i = 0; i < 200; i++) {
                void **slot = &blocks[draw(&state, 1009)];
                if (*slot && draw(&state, 4) == 0) {
                    CHECK((*slot = resize(*slot, any_size(&state))) != NULL, "realloc is NULL");
                    continue;
                }
                give_back(*slot);
                *slot = must_obtain(&state, any_size(&state));
            }
        }
        armed = 0;
        struct itimerspec never = {{0, 0}, {0, 0}};
        timer_settime(timer, 0, &never, NULL);
        for (int i = 0; i < 1009; i++) give_back(blocks[i]), blocks[i] = NULL;
        rest();
    }
    timer_delete(timer);
    return storm_end();
}
