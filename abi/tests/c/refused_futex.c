// survival: a kernel that refuses futex and nanosleep: threads that wait for each other in malloc get on, fork too
#include <unistd.h>

#include "refused.h"
#include "threads.h"

enum { THREADS = 4, ROUNDS = 3000 };

static atomic_int done;

// Blocks that go through the locks of the heap, not through a thread's own lists. No call here may need a futex of the C library.
static void *work(void *argument) {
    uint64_t state = (uintptr_t)argument + 1;
    for (int i = 0; i < ROUNDS; i++) {
        size_t size = 70000 + random_next(&state) % 900000;
        char *block = malloc(size);
        CHECK(block != NULL, "malloc(%zu) is NULL", size);
        block[0] = block[size - 1] = 1;
        free(block);
    }
    atomic_fetch_add(&done, 1);
    for (;;) pause();
}

static void without_futex(int error) {
    static const int numbers[] = {SYS_futex, SYS_nanosleep};
    refuse_calls(numbers, 2, error);
    for (uintptr_t i = 0; i < THREADS; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, work, (void *)i) == 0, "pthread_create fails");
    }
    while (atomic_load(&done) < THREADS) {
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            free(hide(malloc(100000)));
            _exit(0);
        }
        ended_well(child, "child");
        usleep(2000);
    }
}

int main(void) {
    static const int errors[] = {ENOMEM, EPERM, ENOSYS, EINVAL};
    for (int i = 0; i < 4; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            free(hide(malloc(1)));
            without_futex(errors[i]);
            _exit(0);
        }
        int status = confined_end(child);
        CHECK(status == 0, "errno %d: status %#x", errors[i], status);
    }
    return 0;
}
