// survival: a filter that kills for the call that reads other memory: a process with threads forks, and one without asks for figures
// also: glibc
#include <malloc.h>

#include "filter.h"
#include "threads.h"

static const int forbidden[] = {SYS_process_vm_readv};
static pthread_barrier_t barrier;

static void *idle(void *argument) {
    for (int i = 0; i < 1000; i++) free(hide(malloc((size_t)i * 50)));
    pthread_barrier_wait(&barrier);
    pause();
    return argument;
}

static int ends(void (*work)(void)) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        work();
        _exit(0);
    }
    return confined_end(child);
}

static void confine(void) {
    if (filter_calls(forbidden, 1, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0)) _exit(SKIPPED);
}

static void figures(void) {
    confine();
    free(hide(malloc(1000)));
    CHECK(mallinfo2().uordblks < GIB, "more than a GiB is in use");
    CHECK(malloc_trim(0) >= 0, "malloc_trim(0) is negative");
}

static void use_some(void) {
    for (int i = 0; i < 1000; i++) free(hide(malloc((size_t)i * 50)));
}

static void forks(void) {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    CHECK(pthread_create(&thread, NULL, idle, NULL) == 0, "pthread_create fails");
    pthread_barrier_wait(&barrier);
    confine();
    int status = ends(use_some);
    CHECK(status == 0, "a child ends with status %#x", status);
}

int main(void) {
    alarm(55);
    int status = ends(figures);
    CHECK(status == 0, "figures end the process with status %#x", status);
    status = ends(forks);
    CHECK(status == 0, "a fork ends the process with status %#x", status);
    return 0;
}
