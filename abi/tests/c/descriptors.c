// survival: while other threads may open and close descriptors, the allocator opens none
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "check.h"

static void opened(int signal) {
    (void)signal;
    static const char text[] = "a descriptor is opened or closed while two threads allocate\n";
    _exit(write(1, text, sizeof text - 1) < 0 ? 2 : 1);
}

// The calling thread is told when it opens or closes. By raw calls: nobody shall be warned.
static void watch_descriptors(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        SKIP("this machine has no seccomp filters");
}

static pthread_barrier_t begun;

// Fills and frees 60 MiB, again and again, for longer than an allocator waits between two looks at the clock.
static void *swing(void *argument) {
    free(hide(malloc(100)));
    pthread_barrier_wait(&begun);
    watch_descriptors();
    static __thread char *blocks[600];
    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 600; i++) {
            CHECK((blocks[i] = malloc(100000 + (size_t)i * 10)) != NULL, "malloc is NULL");
            memset(blocks[i], 1, 100000);
        }
        for (int i = 0; i < 600; i++) free(blocks[i]);
        usleep(20000);
    }
    return argument;
}

int main(void) {
    alarm(55);
    signal(SIGSYS, opened);
    pthread_barrier_init(&begun, NULL, 2);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, swing, NULL) == 0, "no thread can be started");
    swing(NULL);
    pthread_join(thread, NULL);
    return 0;
}
