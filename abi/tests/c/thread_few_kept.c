// survival: 16 threads at once leave 3 of 12,000 blocks each and end: what was free in them goes back without another malloc
#include "threads.h"

enum { THREADS = 16, BLOCKS = 12000, SIZE = 1000 };

static char *blocks[THREADS][BLOCKS];
static pthread_barrier_t barrier;

static void *work(void *argument) {
    char **mine = argument;
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((mine[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(mine[i], 1, SIZE);
    }
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < BLOCKS; i++)
        if (i % (BLOCKS / 3) != BLOCKS / 6) free(mine[i]);
    return NULL;
}

int main(void) {
    alarm(55);
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, blocks[i]) == 0, "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    size_t left = resident();
    CHECK(left < 64 * MIB, "%zu MiB are resident, 48 KB of them live", left / MIB);
    for (int i = 0; i < THREADS; i++)
        for (int at = BLOCKS / 6; at < BLOCKS; at += BLOCKS / 3) {
            CHECK(blocks[i][at][SIZE - 1] == 1, "a block that was left is overwritten");
            free(blocks[i][at]);
        }
    return 0;
}
