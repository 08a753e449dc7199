// survival: a child made by a bare system call limits and confines itself, and goes on
// also: glibc
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "filter.h"

// Ours asks the kernel whether the child has memory of its own.
extern const char *heapwright_version(void) __attribute__((weak));

static void limit(void) {
    struct rlimit addresses = {512 * MIB, 512 * MIB};
    CHECK(setrlimit(RLIMIT_AS, &addresses) == 0, "setrlimit fails");
    CHECK(mmap(NULL, MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED, "no addresses are left of 512 MiB");
}

static void confine(void) {
    const int calls[] = {SYS_openat};
    if (filter_calls(calls, 1, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0)) return;
    for (int i = 0; i < 30; i++) memset(hide(malloc(MIB)), 1, MIB);
}

int main(void) {
    alarm(55);
    free(hide(malloc(100)));
    if (heapwright_version && syscall(SYS_kcmp, getpid(), getpid(), 1, 0, 0) != 0) SKIP("the kernel does not compare processes");
    static void (*const works[])(void) = {limit, confine};
    for (int i = 0; i < 2; i++) {
        long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
        CHECK(child >= 0, "clone fails");
        if (child == 0) {
            works[i]();
            _exit(0);
        }
        int status = end_of((pid_t)child);
        CHECK(status == 0, "child %d ends with status %#x", i, status);
    }
    return 0;
}
