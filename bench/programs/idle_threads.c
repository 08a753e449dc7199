/* Many threads that did a little and now wait: `idle_threads THREADS`. Each allocates and fills four
 * objects of each of 20 sizes (25 KiB), keeps them and sleeps. What is printed is what a thread costs
 * beyond the objects it asked for, stack and thread block included: the resident size, less what it was
 * before the first thread, less the live objects, by thread. */
#include "common.h"

#include <pthread.h>

enum { SIZES = 20, EACH = 4 };
static const size_t sizes[SIZES] = {16,  32,  48,  64,  80,  96,  112, 128, 160, 192,
                                    224, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
static pthread_barrier_t started, begin, ready, done;

static void *work(void *unused) {
    unsigned char *objects[SIZES][EACH];
    pthread_barrier_wait(&started);
    pthread_barrier_wait(&begin);
    for (int s = 0; s < SIZES; s++)
        for (int i = 0; i < EACH; i++) {
            objects[s][i] = must(malloc(sizes[s]));
            memset(objects[s][i], s + 1, sizes[s]);
        }
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&done);
    for (int s = 0; s < SIZES; s++)
        for (int i = 0; i < EACH; i++) {
            if (objects[s][i][0] != s + 1 || objects[s][i][sizes[s] - 1] != s + 1)
                broken("idle_threads: an object was overwritten");
            free(objects[s][i]);
        }
    return unused;
}

int main(int argc, char **argv) {
    unsigned threads = (unsigned)argument(argc, argv, 1, 256);
    pthread_t *ids = table(threads * sizeof *ids);
    uint64_t live = 0;
    for (int s = 0; s < SIZES; s++) live += sizes[s] * EACH;
    live = live * threads / 1024;
    pthread_barrier_init(&started, NULL, threads + 1);
    pthread_barrier_init(&begin, NULL, threads + 1);
    pthread_barrier_init(&ready, NULL, threads + 1);
    pthread_barrier_init(&done, NULL, threads + 1);
    free(must(malloc(1)));
    rss_kib();

    uint64_t before = rss_kib();
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&ids[i], NULL, work, NULL)) broken("idle_threads: cannot create a thread");
    pthread_barrier_wait(&started);
    uint64_t empty = rss_kib();
    pthread_barrier_wait(&begin);
    pthread_barrier_wait(&ready);
    uint64_t full = rss_kib();
    pthread_barrier_wait(&done);
    for (unsigned i = 0; i < threads; i++) pthread_join(ids[i], NULL);

    uint64_t beyond = full > before + live ? full - before - live : 0;
    print("kib_per_thread_x100", beyond * 100 / threads);
    print("kib_per_empty_thread_x100", (empty - before) * 100 / threads);
    print("rss_kib", full);
    print("rss_after_exit_kib", rss_kib());
    return 0;
}
