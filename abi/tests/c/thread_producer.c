// survival: one thread only allocates, another only frees; the memory stays where it is after the first rounds, and objects
//   of threads that have ended are freed by others
#include "threads.h"

enum { BATCH = 1000, ROUNDS = 3000, WARM = 300 };

static void *batch[BATCH];
static pthread_barrier_t barrier;

static size_t size_of(int round, int i) { return 16 + (size_t)(round * 7 + i * 13) % 1000; }

static void *produce(void *argument) {
    (void)argument;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BATCH; i++) {
            batch[i] = malloc(size_of(round, i));
            CHECK(batch[i] != NULL, "malloc in round %d", round);
            fill(batch[i], 16, (unsigned)i);
        }
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

static void *leave_blocks(void *argument) {
    (void)argument;
    for (int i = 0; i < BATCH; i++) {
        batch[i] = malloc(size_of(1, i));
        fill(batch[i], 16, (unsigned)i);
    }
    return NULL;
}

static void free_batch(void) {
    for (int i = 0; i < BATCH; i++) {
        CHECK(first_difference(batch[i], 16, (unsigned)i) == 16, "block %d was overwritten", i);
        free(batch[i]);
    }
}

int main(void) {
    pthread_t thread;
    size_t warm = 0;
    pthread_barrier_init(&barrier, NULL, 2);
    CHECK(pthread_create(&thread, NULL, produce, NULL) == 0, "no thread");
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&barrier);
        free_batch();
        if (round == WARM) warm = resident();
        pthread_barrier_wait(&barrier);
    }
    pthread_join(thread, NULL);
    size_t now = resident();
    CHECK(now < warm + 4 * MIB, "%zu KiB after %d rounds, %zu after %d", warm / KIB, WARM, now / KIB, ROUNDS);
    for (int round = 0; round < 2000; round++) {
        CHECK(pthread_create(&thread, NULL, leave_blocks, NULL) == 0, "no thread");
        pthread_join(thread, NULL);
        free_batch();
    }
    now = resident();
    CHECK(now < warm + 8 * MIB, "%zu KiB after %d rounds, %zu after 2,000 threads", warm / KIB, WARM, now / KIB);
    return 0;
}
