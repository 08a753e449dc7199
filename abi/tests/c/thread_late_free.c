// survival: threads whose last frees and mallocs come after all that tells a malloc of their end: the C library's own (the buffer of
//   strerror), and a destructor's of a key that sets its value in every round; memory does not grow with the number of dead threads
// also: glibc
#include <limits.h>

#include "threads.h"

enum { WARM = 1000, BUFFERS = 20000, VALUES = 10000 };

static pthread_key_t key;

// Freed by the C library when all destructors have run.
static void *leave_buffer(void *argument) {
    CHECK(strerror(9999) != NULL, "strerror(9999) is NULL");
    return argument;
}

static void destroy(void *value) {
    char *block = malloc(100);
    CHECK(block != NULL, "malloc in a destructor is NULL");
    memset(block, 1, 100);
    free(block);
    uintptr_t round = (uintptr_t)value;
    if (round < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(key, (void *)(round + 1));
}

// Allocates in destructors only.
static void *leave_value(void *argument) {
    pthread_setspecific(key, (void *)1);
    return argument;
}

static void come_and_go(const char *what, void *(*work)(void *), int count) {
    size_t early = 0;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, work, NULL) == 0, "pthread_create number %d fails", i);
        pthread_join(thread, NULL);
        if (i == WARM) early = resident();
    }
    size_t late = resident();
    CHECK(late < early + 8 * MIB, "%s: %zu KiB are resident after %d threads, %zu after %d", what, early / KIB, WARM, late / KIB, count);
}

int main(void) {
    alarm(55);
    CHECK(pthread_key_create(&key, destroy) == 0, "pthread_key_create fails");
    come_and_go("the C library frees", leave_buffer, (int)trials(BUFFERS));
    come_and_go("a destructor allocates", leave_value, (int)trials(VALUES));
    return 0;
}
