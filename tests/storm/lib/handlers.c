// A library with handlers of fork that take a lock, under which its users allocate, and that allocate themselves. Its constructor
// registers them before the program's own code runs.
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept;

static void before(void) {
    pthread_mutex_lock(&library_lock);
    kept = malloc(700);
}

static void after(void) {
    free(kept);
    free(malloc(20000));
    pthread_mutex_unlock(&library_lock);
}

__attribute__((constructor)) static void loaded(void) { pthread_atfork(before, after, after); }
