// A signal handler that runs in the middle of malloc: at the n-th system call by which it gets or gives memory, where it may be
// inside of any lock of its own. Each n is a child, so that one that hangs is seen.
#ifndef INTERRUPTED_H
#define INTERRUPTED_H

#include "refused.h"
#include "threads.h"

enum { UNREACHED = 3, GOES_ON = 4 };

// What the handler does. What it returns from is malloc, which goes on.
static void (*in_handler)(void);
static pthread_t interrupted;
static volatile long calls_left;

static void count_down(void) {
    int error = errno;
    if (pthread_equal(pthread_self(), interrupted) && calls_left > 0 && --calls_left == 0) in_handler();
    errno = error;
}

// Blocks of all kinds in every thread, for ever, until malloc of the first thread is interrupted at its n-th call, and on: then
// it returns.
static void be_interrupted(long nth, void (*what)(void)) {
    static const int calls[] = {SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk};
    enum { BLOCKS = 400, ROUNDS = 3000 };
    static void *blocks[BLOCKS];
    uint64_t state = 5;
    interrupted = pthread_self();
    in_handler = what;
    before_call = count_down;
    calls_left = nth;
    for (long i = 0; i < ROUNDS && calls_left > 0; i++) {
        void **block = &blocks[random_next(&state) % BLOCKS];
        size_t size = random_next(&state) % (i % 8 ? 5000 : i % 40 ? 300000 : 40 * MIB);
        if (i % 5 == 0) *block = realloc(*block, size + 1);
        else free(*block), *block = malloc(size);
        if (*block) memset(*block, 1, size < 64 ? size : 64);
        if (i == 0) watch_calls(calls, sizeof calls / sizeof *calls, 0);
    }
    if (calls_left > 0) _exit(UNREACHED);
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
}

// Runs `child` with each number of the call, and says how it ended: it must be as `right` says.
static inline void interrupt_each(const char *what, void (*child)(long nth), int (*right)(int status)) {
    int reached = 0;
    for (long nth = 1; nth <= 60; nth += 1 + nth / 4) {
        fflush(stdout);
        pid_t pid = fork();
        if (pid == 0) {
            alarm(50);
            child(nth);
            _exit(GOES_ON);
        }
        int status = end_of(pid);
        if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) _exit(SKIPPED);
        if (WIFEXITED(status) && WEXITSTATUS(status) == UNREACHED) break;
        CHECK(!(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM), "%s: hangs, interrupted at call %ld", what, nth);
        CHECK(right(status), "%s: ends with status %#x, interrupted at call %ld", what, status, nth);
        reached++;
    }
    CHECK(reached >= 3, "%s: malloc makes only %d calls", what, reached);
}

static inline int is_zero(int status) { return status == 0; }

static inline int is_abort(int status) { return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT; }

#endif
