// survival: while other threads may open and close descriptors, the allocator opens none
// long: only on the flagship
#include <pthread.h>
#include <signal.h>

#include "filter.h"

static void opened(int signal) {
    (void)signal;
    static const char text[] = "a descriptor is opened or closed while two threads allocate\n";
    _exit(write(1, text, sizeof text - 1) < 0 ? 2 : 1);
}

// The calling thread is told when it opens or closes. By raw calls: nobody shall be warned.
static void watch_descriptors(void) {
    const int calls[] = {SYS_openat, SYS_close};
    if (filter_calls(calls, 2, SECCOMP_RET_TRAP, SECCOMP_RET_ALLOW, 1)) SKIP("this machine has no seccomp filters");
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
