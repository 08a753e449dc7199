// A filter of system calls for this thread and what it starts.
#ifndef FILTER_H
#define FILTER_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

// What becomes of the calls with these numbers, and of all others. `raw`: the filter comes by bare system calls, so that
// nobody who has replaced prctl is told. 0: it is there.
static inline int filter_calls(const int *numbers, int count, unsigned listed, unsigned others, int raw) {
    enum { MOST = 40 };
    struct sock_filter code[2 * MOST + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    CHECK(count <= MOST, "a filter of %d calls is too long", count);
    unsigned short at = 1;
    for (int i = 0; i < count; i++) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, others);
    struct sock_fprog program = {at, code};
    if (raw)
        return syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

// How a child that installs a filter ends; where there are no filters the program is skipped.
static inline int confined_end(pid_t child) {
    int status = end_of(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) SKIP("this machine has no seccomp filters");
    return status;
}

#endif
