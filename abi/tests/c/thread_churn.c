// survival: 3000 threads come and go, each leaving nothing behind: memory does not grow with the number of dead threads
// also: glibc
#include "threads.h"

enum { THREADS = 3000, LIVE = 4 };

static void *work(void *argument) {
    void *blocks[200];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 200; i++) {
            size_t size = 1 + (size_t)(i * 37 + (int)(uintptr_t)argument) % 4000;
            CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
            memset(blocks[i], 1, size);
        }
        for (int i = 0; i < 200; i++) free(blocks[i]);
    }
    return NULL;
}

int main(void) {
    alarm(55);
    pthread_t threads[LIVE];
    size_t early = 0;
    for (int i = 0; i < THREADS; i++) {
        if (i >= LIVE) pthread_join(threads[i % LIVE], NULL);
        CHECK(pthread_create(&threads[i % LIVE], NULL, work, (void *)(uintptr_t)i) == 0, "pthread_create number %d fails", i);
        if (i == 300) early = resident();
    }
    for (int i = 0; i < LIVE; i++) pthread_join(threads[i], NULL);
    size_t late = resident();
    CHECK(late < early + 8 * MIB, "resident memory grew from %zu KiB after 300 threads to %zu KiB after %d", early / KIB, late / KIB, THREADS);
    return 0;
}
