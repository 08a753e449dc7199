// survival: a signal handler that interrupted malloc limits and confines the process, or a child that it forks
// long: only on the flagship
// also: glibc
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "check.h"

static volatile int handled;

static void limit_and_confine(void) {
    struct rlimit addresses;
    if (getrlimit(RLIMIT_AS, &addresses) == 0) setrlimit(RLIMIT_AS, &addresses);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static void handler(int number) {
    (void)number;
    int kept = errno;
    if (++handled % 50) limit_and_confine();
    else {
        pid_t child = fork();
        if (child == 0) {
            limit_and_confine();
            _exit(0);
        }
        if (child > 0) waitpid(child, NULL, 0);
    }
    errno = kept;
}

int main(void) {
    alarm(55);
    signal(SIGPROF, handler);
    // The timer counts the process's own time, so it always gets on between two signals.
    struct itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_PROF, &often, NULL);
    static char *blocks[64];
    for (long i = 0; handled < 300; i++) {
        free(blocks[i % 64]);
        CHECK((blocks[i % 64] = malloc(i % 3 ? 300000 + (size_t)(i % 50) * 20000 : (size_t)(i % 5000))) != NULL, "malloc is NULL");
    }
    return 0;
}
