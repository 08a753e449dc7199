// survival: a program's own clock_gettime, which allocates, as libfaketime's does: the allocator never comes there
#include <pthread.h>
#include <time.h>

#include "check.h"

static __thread int depth;

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    CHECK(++depth < 10, "the clock asks malloc, which asks the clock");
    for (int i = 0; i < 300; i++) free(hide(malloc((size_t)i * 40)));
    *time = (struct timespec){.tv_sec = 1};
    depth--;
    return 0;
}

static void *use_every_path(void *argument) {
    static __thread char *blocks[3000];
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 3000; i++) CHECK((blocks[i] = malloc((size_t)i * 30)) != NULL, "malloc is NULL");
        for (int i = 0; i < 3000; i++) free(blocks[i]);
    }
    return argument;
}

int main(void) {
    alarm(55);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, use_every_path, NULL) == 0, "no thread can be started");
    use_every_path(NULL);
    pthread_join(thread, NULL);
    struct timespec time;
    CHECK(clock_gettime(CLOCK_MONOTONIC, &time) == 0 && time.tv_sec == 1, "the program's own clock is not used");
    return 0;
}
