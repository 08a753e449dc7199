// POSIX.1-2008 2.4.3: fork is async-signal-safe: a handler that interrupts malloc may call it in a program with one thread, and
//   the child may even go on
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "forking.h"

static volatile int forks, children;

static void handler(int number) {
    (void)number;
    pid_t child = fork();
    if (child == 0) {
        // Goes on where malloc was interrupted, then ends.
        interrupt_after = 0, children = 1;
        return;
    }
    if (end_of(child) != 0) _exit(9);
    forks++;
}

int main(void) {
    uint64_t state = 1;
    interrupt_every(700, handler);
    double wanted = trials(200);
    while (forks < wanted) {
        allocate_some(&state);
        if (children) {
            if (forks % 10 == 0) use_every_size();
            _exit(0);
        }
    }
    return 0;
}
