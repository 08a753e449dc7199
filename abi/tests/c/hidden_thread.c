// survival: a thread of the allocator's own takes no signal meant for the program, and a small program has none at all
// also: glibc
#include <signal.h>

#include "tasks.h"

int main(void) {
    alarm(55);
    for (int i = 0; i < 1000; i++) free(malloc((size_t)i * 10));
    usleep(20000);
    CHECK(tasks() == 1, "a program that allocated 10 KiB has %d threads", tasks());

    // Enough freed memory that something may want to give it back in the background.
    static char *blocks[200];
    for (int i = 0; i < 200; i++) CHECK((blocks[i] = malloc(MIB)) && memset(blocks[i], 1, MIB), "malloc(1 MiB) is NULL");
    for (int i = 0; i < 200; i++) free(blocks[i]);
    usleep(20000);

    // Blocked here and waited for: another thread that does not block it would run the default action and end the process.
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM), sigaddset(&set, SIGUSR1), sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < 200; i++) {
        kill(getpid(), i % 2 ? SIGTERM : SIGUSR1);
        int received;
        CHECK(sigwait(&set, &received) == 0 && received == (i % 2 ? SIGTERM : SIGUSR1), "sigwait gives %d", received);
    }
    return 0;
}
