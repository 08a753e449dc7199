// survival: fork by the only thread while its first other thread begins, which is when the allocator makes that thread's cache
// also: glibc
// again: HEAPWRIGHT=safe=1
// timeout: 120
#include "threads.h"

static void *begins(void *argument) {
    void *blocks[40];
    for (size_t i = 0; i < 40; i++) CHECK((blocks[i] = malloc(1 + i * i * 20)) != NULL, "malloc is NULL");
    for (size_t i = 0; i < 40; i++) free(blocks[i]);
    return argument;
}

int main(void) {
    alarm(110);
    int rounds = (int)trials(150);
    for (int round = 0; round < rounds; round++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, begins, NULL) == 0, "pthread_create fails");
        // From no delay to the same longest one, however many rounds there are.
        for (volatile int spin = 0; spin < round * 150 / rounds * 130; spin++) {}
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            use_every_size();
            pthread_t other;
            CHECK(pthread_create(&other, NULL, begins, NULL) == 0, "pthread_create in the child fails");
            pthread_join(other, NULL);
            _exit(0);
        }
        pthread_join(thread, NULL);
        int status = end_of(child);
        CHECK(status == 0, "the child of round %d ends with status %#x", round, status);
    }
    return 0;
}
