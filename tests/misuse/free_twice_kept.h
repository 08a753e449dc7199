/* A block of SIZE bytes freed by one thread, which keeps it, and then by another. */
#include "misuse.h"

static pthread_barrier_t barrier;

static void *release(void *pointer) {
    free(hide(malloc(100)));  // a thread that has a cache keeps what it frees
    free(pointer);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    void *pointer = shown(malloc(SIZE));
    free(pointer);
    pthread_t thread;
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0, "pthread_barrier_init fails");
    CHECK(pthread_create(&thread, NULL, release, hide(pointer)) == 0, "pthread_create fails");
    pthread_barrier_wait(&barrier);
    CHECK(0, "the second free is not noticed");
    return 0;
}
