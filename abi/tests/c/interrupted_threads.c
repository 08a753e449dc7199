// survival: exit and fork in a signal handler that interrupted malloc, while other threads allocate: exit handlers and the child
//   allocate and free, though POSIX lets the child only execute or end (glibc's own malloc hangs in both)
// long: only on the flagship
// again: HEAPWRIGHT=safe=1
// again: HEAPWRIGHT=check=1,stats=1
#include "interrupted.h"

static pthread_t threads[3];

static void allocates(void) {
    uint64_t state = 9;
    char *blocks[300] = {0};
    for (int i = 0; i < 3000; i++) {
        size_t at = random_next(&state) % 300, size = 1 + random_next(&state) % (i % 16 ? 3000 : 100000);
        free(blocks[at]);
        CHECK((blocks[at] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
        memset(blocks[at], (int)at, size);
        CHECK(blocks[at][0] == (char)at && blocks[at][size - 1] == (char)at, "a block was overwritten");
    }
}

static void ends(void) { exit(0); }

static void forks(void) {
    pid_t child = fork();
    if (child == 0) {
        alarm(45);
        allocates();
        exit(0);
    }
    if (end_of(child) != 0) _exit(9);
}

static void exit_child(long nth) {
    start_churning(threads, 3);
    atexit(allocates);
    be_interrupted(nth, ends);
}

static void fork_child(long nth) {
    start_churning(threads, 3);
    be_interrupted(nth, forks);
    stop_and_join(threads, 3);
    use_every_size();
    exit(0);
}

int main(void) {
    interrupt_each("exit", exit_child, is_zero);
    interrupt_each("fork", fork_child, is_zero);
    return 0;
}
