// survival: fork while other threads allocate, 200 times; the child allocates in every size, starts a thread and forks again
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
// timeout: 90
#include "threads.h"

enum { THREADS = 3, ROUNDS = 200 };

static void *in_child(void *argument) {
    use_every_size();
    return argument;
}

int main(void) {
    alarm(80);
    static char *inherited[500];
    for (int i = 0; i < 500; i++) fill(inherited[i] = malloc(1000), 1000, (unsigned)i);
    pthread_t threads[THREADS];
    start_churning(threads, THREADS);
    for (int round = 0; round < trials(ROUNDS); round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            use_every_size();
            for (int i = 0; i < 500; i++) {
                CHECK(first_difference(inherited[i], 1000, (unsigned)i) == 1000, "a block of the parent's was overwritten");
                free(inherited[i]);
            }
            pid_t grandchild = fork();
            if (grandchild == 0) {
                alarm(50);
                use_every_size();
                _exit(0);
            }
            pthread_t thread;
            CHECK(pthread_create(&thread, NULL, in_child, NULL) == 0, "pthread_create in the child fails");
            use_every_size();
            pthread_join(thread, NULL);
            ended_well(grandchild, "grandchild");
            if (round % 2) exit(0);
            _exit(0);
        }
        ended_well(child, "child");
    }
    stop_and_join(threads, THREADS);
    for (int i = 0; i < 500; i++) free(inherited[i]);
    return 0;
}
