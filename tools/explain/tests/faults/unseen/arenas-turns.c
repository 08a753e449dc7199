// thread-caches: sixteen threads, each of which needs much memory for a moment, one after the other, and then little.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 16
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t all;

static void *work(void *unused) {
    (void)unused;
    // All are there before the first one begins, so that none gets another's arena.
    free(malloc(100));
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&turn);
    static char *blocks[40000];
    for (int i = 0; i < 40000; i++) blocks[i] = malloc(56), memset(blocks[i], 1, 56);
    for (int i = 0; i < 40000; i++) free(blocks[i]);
    pthread_mutex_unlock(&turn);
    for (int i = 0; i < 200; i++) {
        char *small = malloc(40);
        memset(small, 2, 40);
        free(small);
        usleep(2000);
    }
    pthread_barrier_wait(&all);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
