// Programs end in the handler of a timer that interrupts malloc: by exit, whose handlers allocate, and abort, whose handler does; or
// they go on after a fork, or a longjmp from outside of malloc. With threads only on the project's libraries: glibc's own malloc hangs there.
#include "storm.h"

#include <setjmp.h>

enum { WORKERS = 3, BLOCKS = 200 };

enum way { EXITS, ABORTS, FORKS, FORKS_AND_GOES_ON, JUMPS, ASKS, WAYS };

static enum way way;
static timer_t timer;
static uint64_t handler_state;
static volatile sig_atomic_t in_malloc, left;
static sigjmp_buf outside;
static void *blocks[BLOCKS];

static void arm(void) {
    struct itimerspec when = {{0, 0}, {0, 20000 + (long)draw(&handler_state, 600000)}};
    timer_settime(timer, 0, &when, NULL);
}

static void allocates(void) {
    uint64_t state = 5;
    work_alone(&state, 60);
}

static void on_abort(int number) {
    (void)number;
    allocates();
}

static void on_timer(int number) {
    int error = errno, status = -1;
    (void)number;
    switch (way) {
    case EXITS: exit(0);
    case ABORTS: abort();
    case FORKS:
    case FORKS_AND_GOES_ON: {
        pid_t child = fork();
        if (child == 0) {
            left = 0;
            if (way == FORKS) exit(0);
            errno = error;
            return;
        }
        while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {}
        if (child < 0 || status != 0) _exit(3);
        break;
    }
    case ASKS:
        malloc_trim(0);
        free(hide(malloc(malloc_usable_size(blocks[0]))));
        _exit(mallinfo2().arena == 1);
    default:
        if (in_malloc) break;
        if (--left > 0) arm();
        siglongjmp(outside, 1);
    }
    if (--left > 0) arm();
    errno = error;
}

static void *until_the_end(void *argument) {
    struct own *own = calloc(1, sizeof *own);
    own->state = (uintptr_t)argument;
    for (;;) one_step(own);
    return NULL;
}

// One short program.
static int ends(uint64_t seed, int threads) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // One that hangs is ended by this signal.
    alarm(100);
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    uint64_t state = seed;
    handler_state = seed + 1;
    left = 1 + (int)draw(&state, 30);
    sigset_t mine, before;
    sigemptyset(&mine);
    sigaddset(&mine, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mine, &before);
    pthread_t thread;
    for (int i = 0; i < threads; i++) start(&thread, until_the_end, random_next(&state));
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    atexit(allocates);
    signal(SIGABRT, on_abort);
    signal(SIGUSR1, on_timer);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0, "timer_create fails with errno %d", errno);
    blocks[0] = must_obtain(&state, 1000);
    if (sigsetjmp(outside, 1) == 0) arm();
    while (left > 0) {
        void **slot = &blocks[1 + draw(&state, BLOCKS - 1)];
        size_t size = any_size(&state);
        void *old = *slot, *new = NULL;
        *slot = NULL;
        if (old) verify(old);
        in_malloc = 1;
        free(old);
        new = malloc(size);
        in_malloc = 0;
        CHECK(new != NULL, "malloc is NULL");
        *slot = stamp(new, size);
    }
    for (int i = 0; i < BLOCKS; i++) give_back(blocks[i]);
    return 0;
}

// All of the project's libraries promise it.
static int is_ours(void) {
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "libheapwright") != NULL;
}

static void start_one(uint64_t *state) {
    char kind[20], seed[40], threads[20], options[200];
    const char *set = getenv("HEAPWRIGHT");
    way = (enum way)draw(state, WAYS);
    // Where another thread's lock is lost, the child may end, but not go on.
    int with_threads = is_ours() && way != FORKS_AND_GOES_ON && draw(state, 3) == 0;
    snprintf(kind, sizeof kind, "%d", way);
    snprintf(threads, sizeof threads, "%d", with_threads ? WORKERS : 0);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)random_next(state));
    snprintf(options, sizeof options, "%s%scheck=1", set ? set : "", set ? "," : "");
    int check = draw(state, 2) == 0;
    pid_t child = fork_child();
    if (child == 0) {
        if (check) setenv("HEAPWRIGHT", options, 1);
        // What check=1 says of a malloc that was interrupted is no failure.
        if (!freopen("/dev/null", "w", stderr)) _exit(4);
        execl("/proc/self/exe", "interrupted", "end", kind, seed, threads, NULL);
        _exit(4);
    }
    int status = status_of(child);
    int right = way == ABORTS ? WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT : status == 0;
    int hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    atomic_fetch_add_explicit(&counts->signals, 1, memory_order_relaxed);
    // glibc's malloc goes on over a heap that is half changed, which may end in anything.
    CHECK(right || (!is_ours() && !hangs), "a program that was interrupted, way %s, seed %s, threads %s%s, has status %#x", kind, seed, threads,
          check ? ", check=1" : "", status);
}

int main(int count, char **arguments) {
    if (count == 5 && strcmp(arguments[1], "end") == 0) {
        way = (enum way)atoi(arguments[2]);
        return ends(strtoull(arguments[3], NULL, 0), atoi(arguments[4]));
    }
    storm_begin(count, arguments);
    uint64_t state = storm.seed;
    while (!over()) {
        for (double end = now() + 0.7; now() < end; beat()) start_one(&state);
        rest();
    }
    return storm_end();
}
