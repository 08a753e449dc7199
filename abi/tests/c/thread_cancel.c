// POSIX.1-2024 pthread_cancel: a cancelled thread's clean-up handlers and keys free its blocks; the heap goes on
// also: glibc
#include "threads.h"

static void cleanup(void *argument) {
    char *block = argument;
    CHECK(first_difference(block, 500, 4) == 500, "a cancelled thread's block was overwritten");
    free(block);
    use_every_size();
}

static void *work(void *argument) {
    (void)argument;
    char *block = malloc(500);
    fill(block, 500, 4);
    pthread_cleanup_push(cleanup, block);
    for (;;) {
        void *other = malloc(1000);
        pthread_testcancel();
        free(other);
        usleep(10);
    }
    pthread_cleanup_pop(1);
    return NULL;
}

int main(void) {
    alarm(55);
    for (int round = 0; round < 50; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0, "pthread_create fails");
        usleep(300);
        for (int i = 0; i < 4; i++) pthread_cancel(threads[i]);
        for (int i = 0; i < 4; i++) {
            void *result;
            pthread_join(threads[i], &result);
            CHECK(result == PTHREAD_CANCELED, "a cancelled thread returns %p", result);
        }
    }
    return 0;
}
