// Programs end while their threads allocate: by return, exit from main and from a thread, quick_exit, _exit, and the end of the main
// thread before the others; half of them with check=1, which walks the heap at the end.
#include "storm.h"

enum { WORKERS = 4, WAYS = 6 };

static pthread_t main_thread;

static void allocates_at_exit(void) {
    uint64_t state = 5;
    work_alone(&state, 50);
}

static void *until_the_end(void *argument) {
    struct own *own = calloc(1, sizeof *own);
    own->state = (uintptr_t)argument;
    for (;;) one_step(own);
    return NULL;
}

static void *exits(void *argument) {
    exit(thread_works_alone(argument) != NULL);
}

static void *after_main(void *argument) {
    join(main_thread);
    thread_works_alone(argument);
    return NULL;
}

// One short program: its way to end and its seed.
static int ends(int way, uint64_t seed) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t state = seed;
    pthread_t thread;
    atexit(allocates_at_exit);
    at_quick_exit(allocates_at_exit);
    void *kept = must_obtain(&state, 1000);
    if (way == 5) {
        // The last thread's end is the process's.
        main_thread = pthread_self();
        for (int i = 0; i < WORKERS; i++) start(&thread, i ? thread_works_alone : after_main, random_next(&state));
        give_back(kept);
        pthread_exit(NULL);
    }
    for (int i = 0; i < WORKERS; i++) start(&thread, until_the_end, random_next(&state));
    usleep((unsigned)draw(&state, 6000));
    switch (way) {
    case 0: exit(0);
    case 1: quick_exit(0);
    case 2: _exit(0);
    case 3:
        start(&thread, exits, random_next(&state));
        pthread_exit(NULL);
    default: return 0;
    }
}

static void start_one(uint64_t *state) {
    char way[20], seed[40], options[200];
    const char *set = getenv("HEAPWRIGHT");
    snprintf(way, sizeof way, "%d", (int)draw(state, WAYS));
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)random_next(state));
    snprintf(options, sizeof options, "%s%scheck=1", set ? set : "", set ? "," : "");
    int check = draw(state, 2) == 0;
    pid_t child = fork_child();
    if (child == 0) {
        if (check) setenv("HEAPWRIGHT", options, 1);
        execl("/proc/self/exe", "exit", "end", way, seed, NULL);
        _exit(4);
    }
    int status = status_of(child);
    CHECK(status == 0, "a program that ends in way %s, seed %s%s, has status %#x", way, seed, check ? ", check=1" : "", status);
}

int main(int count, char **arguments) {
    if (count == 4 && strcmp(arguments[1], "end") == 0) return ends(atoi(arguments[2]), strtoull(arguments[3], NULL, 0));
    storm_begin(count, arguments);
    uint64_t state = storm.seed;
    while (!over()) {
        for (double end = now() + 0.7; now() < end; beat()) start_one(&state);
        rest();
    }
    return storm_end();
}
