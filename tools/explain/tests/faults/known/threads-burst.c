// thread-caches: eight threads work hard, free all, and wait with what they keep while the main thread works.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS 8
#define BLOCKS 60000
static pthread_barrier_t done, end;

static void *work(void *unused) {
    (void)unused;
    char **blocks = malloc(BLOCKS * sizeof *blocks);
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(64);
        memset(blocks[i], 1, 64);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    // Small ones only: what glibc has in its fast bins it does not put together again.
    for (int i = 0; i < 1000; i++) free(malloc(32));
    pthread_barrier_wait(&done);
    pthread_barrier_wait(&end);
    free(blocks);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&done, NULL, THREADS + 1);
    pthread_barrier_init(&end, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, NULL);
    pthread_barrier_wait(&done);
    for (int i = 0; i < 300; i++) {
        for (int j = 0; j < 100; j++) {
            char *small = malloc(100);
            memset(small, 2, 100);
            free(small);
        }
        usleep(1000);
    }
    pthread_barrier_wait(&end);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
