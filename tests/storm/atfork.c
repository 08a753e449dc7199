// Handlers of fork, registered early and late, that allocate and take locks under which other threads allocate.
// link: handlers
#include "storm.h"

enum { WORKERS = 4, LOCKS = 3 };

extern pthread_mutex_t library_lock;
static pthread_mutex_t early_lock = PTHREAD_MUTEX_INITIALIZER, late_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *const locks[LOCKS] = {&library_lock, &early_lock, &late_lock};
static void *early_blocks[30], *late_blocks[30];

static void take(void **blocks) {
    for (int i = 0; i < 30; i++) {
        size_t size = SMALLEST + (size_t)i * i * 100;
        blocks[i] = stamp(malloc(size), size);
        CHECK(blocks[i] != NULL, "malloc(%zu) is NULL in a handler of fork", size);
    }
}

static void give(void **blocks) {
    for (int i = 0; i < 30; i++) give_back(blocks[i]);
}

static void early_before(void) {
    pthread_mutex_lock(&early_lock);
    take(early_blocks);
}

static void early_after(void) {
    give(early_blocks);
    pthread_mutex_unlock(&early_lock);
}

static void late_before(void) {
    take(late_blocks);
    pthread_mutex_lock(&late_lock);
}

static void late_after(void) {
    pthread_mutex_unlock(&late_lock);
    give(late_blocks);
}

__attribute__((constructor)) static void loaded(void) { pthread_atfork(early_before, early_after, early_after); }

static void *work(void *argument) {
    struct own *own = calloc(1, sizeof *own);
    own->state = storm.seed + (uintptr_t)argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        pthread_mutex_t *lock = locks[draw(&own->state, LOCKS)];
        pthread_mutex_lock(lock);
        for (int i = 0; i < 100; i++) one_step(own);
        pthread_mutex_unlock(lock);
        one_step(own);
    }
    free_own(own);
    free(own);
    return NULL;
}

int main(int count, char **arguments) {
    storm_begin(count, arguments);
    CHECK(pthread_atfork(late_before, late_after, late_after) == 0, "pthread_atfork fails");
    uint64_t state = storm.seed;
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        for (double end = now() + 0.7; now() < end; beat()) {
            pid_t child = fork_child();
            if (child == 0) {
                work_alone(&state, 30);
                pid_t next = draw(&state, 3) ? 0 : fork_child();
                if (next) must_succeed(next, "a child's child");
                _exit(0);
            }
            must_succeed(child, "a child");
            random_next(&state);
        }
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        free_shared();
        rest();
    }
    return storm_end();
}
