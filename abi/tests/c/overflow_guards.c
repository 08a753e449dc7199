// SECURITY.md: what is written behind a block, however far, ends in a fault before it reaches the allocator's own structures
// link: heapwright
#include <setjmp.h>
#include <signal.h>

#include "heapwright.h"
#include "threads.h"

static sigjmp_buf fault;
static void on_fault(int signal) { siglongjmp(fault, signal); }

// Writes from `at` on until the machine refuses.
static void overflow(volatile char *at) {
    if (sigsetjmp(fault, 1) == 0)
        for (;;) *at++ = 72;
}

// No output from here: blocks of the C library may be overwritten too.
static void child(size_t size, int neighbours) {
    char stack[16 * KIB];
    stack_t alternative = {stack, 0, sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    static char *blocks[64];
    for (int i = 0; i < 64; i++) blocks[i] = malloc(16);
    char *block = malloc(size);
    for (int i = 0; i < neighbours; i++) blocks[0] = malloc(size);
    if (!block || !blocks[0]) _exit(2);
    overflow(block + size);
    for (int i = 0; i < 64; i++) free(blocks[i]);
    use_every_size();
    free(block);
    _exit(heapwright_check() == 0 ? 0 : 3);
}

int main(void) {
    alarm(55);
    const size_t sizes[] = {16, 1000, 30000, 100000, 3 * MIB, 31 * MIB, 33 * MIB, 64 * MIB, 200 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int neighbours = 0; neighbours < 3; neighbours++) {
            // Each in a process of its own whose heap is fresh, as far as fork lets it be.
            pid_t pid = fork();
            if (pid == 0) child(sizes[i], neighbours);
            int status = end_of(pid);
            CHECK(status == 0, "writing behind a block of %zu bytes with %d more of them: status %#x", sizes[i], neighbours, status);
        }
    return 0;
}
