// Threads allocate, resize and free across each other while three of them fork; children allocate, start threads, fork again to a
// depth of three, and end in different ways.
#include "storm.h"
#include <sys/syscall.h>

enum { WORKERS = 6, FORKERS = 3, DEPTH = 3 };

static void *thread_ends_process(void *argument) {
    thread_works_alone(argument);
    exit(0);
}

// The forking thread's own blocks are the child's too. Returns the status to end with, where it ends in no other way.
static int child(struct own *own, int depth) {
    for (int i = 0; i < OWN; i += 2) give_back(own->blocks[i]), own->blocks[i] = NULL;
    work_alone(&own->state, 60);
    pthread_t threads[2];
    int started = (int)draw(&own->state, 3);
    for (int i = 0; i < started; i++) start(&threads[i], thread_works_alone, random_next(&own->state));
    if (depth < DEPTH && draw(&own->state, 2)) {
        pid_t next = fork_child();
        if (next == 0) _exit(child(own, depth + 1));
        must_succeed(next, "a child's child");
    }
    for (int i = 0; i < started; i++) join(threads[i]);
    free_own(own);
    switch (draw(&own->state, 6)) {
    case 0: exit(0);
    case 1: quick_exit(0);
    case 2: syscall(SYS_exit_group, 0); break;
    case 3: start(&threads[0], thread_ends_process, random_next(&own->state)), join(threads[0]); break;
    case 4: check_heap(); break;
    default: execl("/proc/self/exe", "fork", "end", NULL);
    }
    return 0;
}

static void *work(void *argument) {
    struct own *own = calloc(1, sizeof *own);
    own->state = storm.seed + (uintptr_t)argument;
    int forks = (uintptr_t)argument % WORKERS < FORKERS;
    for (int i = 0; !atomic_load_explicit(&stop, memory_order_relaxed); i++) {
        one_step(own);
        if (!forks || draw(&own->state, 800)) continue;
        pid_t pid = fork_child();
        if (pid == 0) _exit(child(own, 1));
        must_succeed(pid, "a child");
        random_next(&own->state);
    }
    free_own(own);
    free(own);
    return NULL;
}

int main(int count, char **arguments) {
    if (count == 2) return free(hide(malloc(100))), 0;
    storm_begin(count, arguments);
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        usleep(700000);
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        free_shared();
        rest();
    }
    return storm_end();
}
