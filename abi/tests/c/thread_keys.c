// POSIX.1-2024 pthread_key_create: destructors of thread-specific data allocate and free, in every round of destruction
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include <limits.h>

#include "threads.h"

enum { KEYS = 3, THREADS = 40 };

static pthread_key_t keys[KEYS];
static atomic_int calls;

struct value {
    int key, round;
    char bytes[100];
};

static void destroy(void *argument) {
    struct value *value = argument, *next = NULL;
    CHECK(first_difference(value->bytes, sizeof value->bytes, 1) == sizeof value->bytes, "a thread's value was overwritten");
    atomic_fetch_add(&calls, 1);
    use_every_size();
    if (value->round < PTHREAD_DESTRUCTOR_ITERATIONS) {
        next = malloc(sizeof *next);
        CHECK(next != NULL, "malloc in a destructor is NULL");
        *next = *value;
        next->round++;
        pthread_setspecific(keys[value->key], next);
    }
    free(value);
}

static void *work(void *argument) {
    (void)argument;
    for (int i = 0; i < KEYS; i++) {
        struct value *value = malloc(sizeof *value);
        value->key = i, value->round = 1;
        fill(value->bytes, sizeof value->bytes, 1);
        pthread_setspecific(keys[i], value);
    }
    use_every_size();
    return NULL;
}

// Never allocates itself: only its destructors do.
static void *idle(void *argument) {
    pthread_setspecific(keys[0], argument);
    return NULL;
}

int main(void) {
    alarm(55);
    for (int i = 0; i < KEYS; i++) CHECK(pthread_key_create(&keys[i], destroy) == 0, "pthread_key_create fails");
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0, "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    int expected = THREADS * KEYS * PTHREAD_DESTRUCTOR_ITERATIONS;
    CHECK(calls == expected, "%d destructor calls, not %d", calls, expected);
    for (int i = 0; i < THREADS; i++) {
        struct value *value = malloc(sizeof *value);
        value->key = 0, value->round = 1;
        fill(value->bytes, sizeof value->bytes, 1);
        CHECK(pthread_create(&threads[i], NULL, idle, value) == 0, "pthread_create fails");
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    expected += THREADS * PTHREAD_DESTRUCTOR_ITERATIONS;
    CHECK(calls == expected, "%d destructor calls, not %d", calls, expected);
    use_every_size();
    return 0;
}
