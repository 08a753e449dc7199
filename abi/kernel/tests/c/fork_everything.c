// fork: while threads do everything, children and theirs find all as it should be, and go on with threads of their own
#include <sys/wait.h>
#include <unistd.h>

#include "everything.h"

enum { FORKS = 10, THREADS = 3 };

static void end_well(pid_t child) {
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

static void go_on(void) {
    pthread_t threads[2];
    alarm(60);
    rounds = 3;
    CHECK(heapwright_kernel_check() == 0);
    work((void *)7);
    for (uintptr_t i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    pid_t child = fork();
    if (child == 0) {
        work((void *)3);
        _exit(heapwright_kernel_check() != 0);
    }
    end_well(child);
    _exit(heapwright_kernel_check() != 0);
}

int main(void) {
    pthread_t threads[THREADS];
    rounds = 1000000;
    shared = kmem_cache_create("shared", 100, 0, 0, NULL);
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < FORKS; i++) {
        usleep(3000);
        pid_t child = fork();
        if (child == 0) go_on();
        end_well(child);
    }
    rounds = 0;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    kmem_cache_destroy(shared);
    return 0;
}
