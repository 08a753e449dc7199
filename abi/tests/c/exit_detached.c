// survival: the process ends, also with its checks and figures asked for, while detached threads allocate, begin and end
// also: glibc
// again: HEAPWRIGHT=check=1
// again: HEAPWRIGHT=stats=1
// again: HEAPWRIGHT=background=1
#include "forking.h"

static void *short_lived(void *argument) {
    uint64_t state = (uintptr_t)argument;
    allocate_some(&state);
    return NULL;
}

static void *begin_others(void *argument) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    uintptr_t number = 0;
    while (!atomic_load(&stop_churning)) {
        pthread_t thread;
        pthread_create(&thread, &attributes, short_lived, (void *)number++);
        // A few at a time, however slow the machine is.
        usleep(500);
    }
    return argument;
}

int main(void) {
    for (int round = 0; round < 10; round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            pthread_t threads[3];
            start_churning(threads, 2);
            pthread_create(&threads[2], NULL, begin_others, NULL);
            for (int i = 0; i < 3; i++) pthread_detach(threads[i]);
            usleep(3000 * round);
            exit(0);
        }
        ended_well(child, "child");
    }
    return 0;
}
