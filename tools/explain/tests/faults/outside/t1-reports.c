// thread-caches: 90 MB are free, kept in the arenas of 20 threads that each needed 6 MB for a moment:
// MALLOC_ARENA_MAX=1 or 2 makes it 10.

/* A report server: a main thread that loads templates (large ones, by the hundred), and 20 workers. Each worker renders a report of some
 * 6 MB of small blocks now and then, one at a time (there is one licence), frees all of it, and waits for the next.
 * FAULT (thread arenas): what a worker had free stays in its arena: loading the templates freed blocks of some MB, so glibc's limit for
 * giving back is above what an arena keeps. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t licence = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;
struct cell { struct cell *next; unsigned len; char text[]; };

static void *worker(void *arg) {
    unsigned long seed = (unsigned long)arg * 77 + 1;
    pthread_barrier_wait(&all);
    for (int round = 0; round < 3; round++) {
        usleep(200000 + (unsigned)(seed % 7) * 30000);
        pthread_mutex_lock(&licence);
        struct cell *first = 0;
        for (unsigned long bytes = 0; bytes < 6000000;) {
            seed = seed * 6364136223846793005ul + 1442695040888963407ul;
            unsigned len = 40 + (unsigned)(seed >> 40) % 700;
            struct cell *c = malloc(sizeof *c + len);
            c->len = len; memset(c->text, 'c', len);
            c->next = first; first = c;
            bytes += len;
        }
        usleep(30000);
        while (first) { struct cell *n = first->next; free(first); first = n; }
        pthread_mutex_unlock(&licence);
    }
    pthread_barrier_wait(&all);
    return 0;
}

int main(void) {
    for (int i = 0; i < 12; i++) {                       /* templates: read, compiled to something small, dropped */
        size_t n = 1500000 + i * 700000;
        char *t = malloc(n);
        memset(t, 't', n);
        free(t);
    }
    pthread_barrier_init(&all, 0, 21);
    pthread_t t[20];
    for (long i = 0; i < 20; i++) pthread_create(&t[i], 0, worker, (void *)i);
    pthread_barrier_wait(&all);
    pthread_barrier_wait(&all);
    sleep(1);
    for (int i = 0; i < 20; i++) pthread_join(t[i], 0);
    return 0;
}
