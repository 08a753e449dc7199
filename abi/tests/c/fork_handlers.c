// POSIX.1-2024 pthread_atfork: handlers that allocate and free, also those registered before any constructor, never deadlock
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "threads.h"

static char *kept;
static int prepared, in_parent, in_child;

static void prepare(void) {
    prepared++;
    use_every_size();
    kept = malloc(3000);
    CHECK(kept != NULL, "malloc in a prepare handler is NULL");
    fill(kept, 3000, 6);
}

static void release(void) {
    use_every_size();
    if (kept) CHECK(first_difference(kept, 3000, 6) == 3000, "the prepare handler's block was overwritten");
    free(kept);
    kept = NULL;
}

static void parent(void) { in_parent++, release(); }
static void child(void) { in_child++, release(); }

static void preinit(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
    pthread_atfork(prepare, parent, child);
}

__attribute__((section(".preinit_array"), used)) static void (*const preinit_entry)(int, char **, char **) = preinit;

int main(void) {
    alarm(55);
    CHECK(pthread_atfork(prepare, parent, child) == 0, "pthread_atfork fails");
    pthread_t threads[2];
    start_churning(threads, 2);
    for (int round = 0; round < 60; round++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(50);
            use_every_size();
            _exit(in_child == 2 ? 0 : 3);
        }
        int status = end_of(pid);
        CHECK(status == 0, "the child of round %d ends with status %#x", round, status);
    }
    CHECK(prepared == 120 && in_parent == 120, "%d prepare and %d parent handlers ran, not 120", prepared, in_parent);
    stop_and_join(threads, 2);
    return 0;
}
