// survival: exit() while other threads allocate and free, 60 times, and pthread_exit() of the main thread before the others
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "threads.h"

enum { THREADS = 4 };

static void *after_main(void *argument) {
    pthread_t *main_thread = argument;
    pthread_join(*main_thread, NULL);
    use_every_size();
    exit(0);
}

int main(void) {
    alarm(55);
    int rounds = (int)trials(60);
    for (int round = 0; round < rounds; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            pthread_t threads[THREADS];
            static pthread_t self;
            self = pthread_self();
            start_churning(threads, THREADS);
            usleep((unsigned)(round * 60 / rounds) * 50);
            if (round % 3) exit(0);
            pthread_t last;
            CHECK(pthread_create(&last, NULL, after_main, &self) == 0, "pthread_create fails");
            pthread_exit(NULL);
        }
        int status = end_of(child);
        CHECK(status == 0, "round %d ends with status %#x", round, status);
    }
    return 0;
}
