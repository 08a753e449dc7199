// Thousands of short threads: joined and detached, on stacks of their own that are unmapped after the join, with destructors of
// thread-specific keys that allocate, ended by the system call alone, and freeing only what others allocated.
#include "storm.h"
#include <sys/syscall.h>

enum { GIFT = 200, STACK = 256 * 1024, RAW_PER_ROUND = 10 };

struct gift {
    void *blocks[GIFT];
};

static pthread_key_t key;
static atomic_int detached_running;

// Allocates again and asks to be called again, as often as the value says.
static void at_thread_end(void *value) {
    uint64_t left = *(uint64_t *)value;
    free(value);
    uint64_t state = left + 1;
    work_alone(&state, 10);
    if (left == 0) return;
    uint64_t *again = malloc(sizeof *again);
    CHECK(again != NULL, "malloc is NULL in a destructor");
    *again = left - 1;
    pthread_setspecific(key, again);
}

static void set_key(uint64_t times) {
    uint64_t *value = malloc(sizeof *value);
    CHECK(value != NULL, "malloc is NULL in a new thread");
    *value = times;
    pthread_setspecific(key, value);
}

static void *short_life(void *argument) {
    uint64_t state = (uintptr_t)argument;
    if (draw(&state, 2)) set_key(draw(&state, 3));
    work_alone(&state, (int)draw(&state, 60));
    return NULL;
}

static void *detached_life(void *argument) {
    short_life(argument);
    atomic_fetch_sub(&detached_running, 1);
    return NULL;
}

static void *only_frees(void *argument) {
    struct gift *gift = argument;
    for (int i = 0; i < GIFT; i++) give_back(gift->blocks[i]);
    free(gift);
    return NULL;
}

// Frees all it has; what its malloc keeps for it, nobody announces.
static void *ends_raw(void *argument) {
    uint64_t state = (uintptr_t)argument;
    void *blocks[20];
    for (int i = 0; i < 20; i++) blocks[i] = must_obtain(&state, SMALLEST + draw(&state, 500));
    for (int i = 0; i < 20; i++) give_back(blocks[i]);
    syscall(SYS_exit, 0);
    return NULL;
}

static void on_own_stack(void *(*body)(void *), uint64_t argument) {
    void *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED, "a stack cannot be mapped: errno %d", errno);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    int error = pthread_create(&thread, &attributes, body, (void *)(uintptr_t)argument);
    CHECK(error == 0, "pthread_create on a stack of its own fails with error %d", error);
    pthread_attr_destroy(&attributes);
    atomic_fetch_add_explicit(&counts->threads, 1, memory_order_relaxed);
    join(thread);
    munmap(stack, STACK);
}

static void one_batch(uint64_t *state, int *raw) {
    pthread_t threads[8];
    switch (draw(state, 5)) {
    case 0:
        for (int i = 0; i < 8; i++) {
            atomic_fetch_add(&detached_running, 1);
            start(&threads[i], detached_life, random_next(state));
            pthread_detach(threads[i]);
        }
        while (atomic_load(&detached_running)) usleep(50);
        break;
    case 1:
        for (int i = 0; i < 4; i++) on_own_stack(short_life, random_next(state));
        break;
    case 2:
        if (*raw >= RAW_PER_ROUND) break;
        ++*raw;
        on_own_stack(ends_raw, random_next(state));
        atomic_fetch_add(&counts->other, 1);
        break;
    case 3:
        for (int i = 0; i < 8; i++) {
            struct gift *gift = malloc(sizeof *gift);
            CHECK(gift != NULL, "malloc is NULL");
            for (int k = 0; k < GIFT; k++) gift->blocks[k] = must_obtain(state, SMALLEST + draw(state, 2000));
            start(&threads[i], only_frees, (uintptr_t)gift);
        }
        for (int i = 0; i < 8; i++) join(threads[i]);
        break;
    default:
        for (int i = 0; i < 8; i++) start(&threads[i], short_life, random_next(state));
        for (int i = 0; i < 8; i++) join(threads[i]);
    }
}

int main(int count, char **arguments) {
    other_name = "raw ends";
    storm_begin(count, arguments);
    CHECK(pthread_key_create(&key, at_thread_end) == 0, "pthread_key_create fails");
    uint64_t state = storm.seed;
    while (!over()) {
        int raw = 0;
        for (double end = now() + 0.7; now() < end; beat()) one_batch(&state, &raw);
        // What a thread left without a word must not be in the way of these.
        mallinfo2();
        pid_t child = fork_child();
        if (child == 0) {
            work_alone(&state, 100);
            _exit(0);
        }
        must_succeed(child, "a child of a program with threads that vanished");
        rest();
    }
    return storm_end();
}
