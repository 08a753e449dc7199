// survival: fork from a thread other than main; that thread is the child's only one, ends there, and the child goes on
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "threads.h"

static void *forks(void *argument) {
    (void)argument;
    for (int round = 0; round < 40; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            use_every_size();
            pthread_t threads[2];
            start_churning(threads, 2);
            usleep(2000);
            stop_and_join(threads, 2);
            if (round % 2) pthread_exit(NULL); // the last thread: the process ends with status 0
            exit(0);
        }
        int status = end_of(child);
        CHECK(status == 0, "the child of round %d ends with status %#x", round, status);
    }
    return NULL;
}

int main(void) {
    alarm(55);
    pthread_t churning[2], forking;
    start_churning(churning, 2);
    CHECK(pthread_create(&forking, NULL, forks, NULL) == 0, "pthread_create fails");
    pthread_join(forking, NULL);
    stop_and_join(churning, 2);
    return 0;
}
