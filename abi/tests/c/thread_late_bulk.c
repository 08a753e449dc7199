// survival: what threads allocated and the destructor of a key frees at their end goes back, though no thread allocates after that
#include "threads.h"

enum { THREADS = 8, BLOCKS = 20000, SIZE = 1000 };

static pthread_key_t key;
static pthread_barrier_t barrier;

static void destroy(void *value) {
    void **blocks = value;
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
}

static void *work(void *argument) {
    void **blocks = argument;
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(blocks[i], 1, SIZE);
    }
    pthread_setspecific(key, blocks);
    pthread_barrier_wait(&barrier);
    return NULL;
}

int main(void) {
    alarm(55);
    static void *blocks[THREADS][BLOCKS];
    pthread_t threads[THREADS];
    CHECK(pthread_key_create(&key, destroy) == 0, "pthread_key_create fails");
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, blocks[i]) == 0, "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    size_t left = resident();
    CHECK(left < 64 * MIB, "%zu MiB are resident, none of them live", left / MIB);
    return 0;
}
