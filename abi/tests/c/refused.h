// System calls that are counted, and refused or made: a filter sends them to a signal handler of this program.
#ifndef REFUSED_H
#define REFUSED_H

#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "filter.h"

#ifndef __x86_64__
#error "the registers of a system call are those of x86-64"
#endif

static atomic_long calls_seen, calls_failed;
// What the caller gets; 0: the call is made.
static int refuse_with;
// Called before each, in the signal handler.
static void (*before_call)(void);

// Makes a call from the one place that the filter lets pass.
long make_call(long number, long a, long b, long c, long d, long e, long f);
extern const char after_call[];
__asm__(".text\n.globl make_call\nmake_call:\n mov %rdi, %rax\n mov %rsi, %rdi\n mov %rdx, %rsi\n mov %rcx, %rdx\n"
        " mov %r8, %r10\n mov %r9, %r8\n mov 8(%rsp), %r9\n syscall\n.globl after_call\nafter_call:\n ret\n");

static void on_call(int signal, siginfo_t *info, void *context) {
    (void)signal;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    atomic_fetch_add_explicit(&calls_seen, 1, memory_order_relaxed);
    if (before_call) before_call();
    long answer = -refuse_with;
    if (refuse_with == 0)
        answer = make_call(info->si_syscall, registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
                           registers[REG_R8], registers[REG_R9]);
    if (answer < 0 && answer > -4096) atomic_fetch_add_explicit(&calls_failed, 1, memory_order_relaxed);
    registers[REG_RAX] = answer;
}

// From now on the process's calls with these numbers are counted, and fail with `error` unless that is 0.
static inline void watch_calls(const int *numbers, int count, int error) {
    struct sigaction action = {.sa_sigaction = on_call, .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
    CHECK(sigaction(SIGSYS, &action, NULL) == 0, "sigaction fails");
    struct sock_filter code[40];
    int at = 0;
    unsigned pass = (unsigned)(uintptr_t)after_call;
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer));
    code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, pass, 0, 1);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++) {
        code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)numbers[i], 0, 1);
        code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)at, code};
    refuse_with = error;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        SKIP("this machine has no seccomp filters");
}

// From now on the calls with these numbers fail with `error`, also where all signals are blocked; nobody counts them.
static inline void refuse_calls(const int *numbers, int count, int error) {
    if (filter_calls(numbers, count, SECCOMP_RET_ERRNO | (unsigned)error, SECCOMP_RET_ALLOW, 0)) SKIP("this machine has no seccomp filters");
}

// Fills `bytes` with blocks of 100,000 bytes, frees them, and goes on with `pairs` pairs of malloc and free, which leave
// free memory behind that an allocator wants to give back. At most `most` calls may fail meanwhile.
static inline void give_back_in_vain(size_t bytes, long pairs, long most) {
    enum { SIZE = 100000, BATCH = 50 };
    size_t count = bytes / SIZE;
    char **blocks = malloc(count * sizeof *blocks);
    CHECK(blocks != NULL, "malloc is NULL");
    for (size_t i = 0; i < count; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(blocks[i], 1, SIZE);
    }
    atomic_store(&calls_failed, 0);
    for (size_t i = 0; i < count; i++) free(blocks[i]);
    free(blocks);
    for (long pair = 0; pair < pairs; pair += BATCH) {
        void *batch[BATCH];
        for (int i = 0; i < BATCH; i++) CHECK((batch[i] = malloc((size_t)(SIZE + i * 3000))) != NULL, "malloc is NULL");
        for (int i = 0; i < BATCH; i++) free(batch[i]);
        long failed = atomic_load(&calls_failed);
        CHECK(failed < most, "%ld calls were refused in %ld frees", failed, (long)count + pair + BATCH);
    }
}

#endif
