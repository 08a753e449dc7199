// thread-caches: each of 16 arenas keeps the ~25 MB of its one big job; at most 25 MB ever live; MALLOC_ARENA_MAX
// would mend it

// Sixteen workers take turns at big jobs (25 MiB of small blocks each). A job frees everything but its result, the last
// block it made. Only one job runs at a time: at most ~25 MiB is ever live, but each worker's arena keeps its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pthread.h>
#include <stdint.h>
#define W 16
static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
static char *result[W];
static pthread_barrier_t go, done;
static void *worker(void *a) {
    long id = (long)a;
    uint64_t s = 77 + id;
    char *mine = malloc(100);
    memset(mine, 1, 100);
    pthread_barrier_wait(&go);
    pthread_mutex_lock(&big);
    size_t n = 25u << 20, cnt = 0;
    void **v = malloc(sizeof(void *) * 120000);
    for (size_t b = 0; b < n;) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        size_t k = 100 + (s >> 40) % 600;
        v[cnt] = malloc(k);
        memset(v[cnt++], (int)id, k);
        b += k;
    }
    result[id] = malloc(1500);
    memset(result[id], 2, 1500);
    for (size_t i = 0; i < cnt; i++) free(v[i]);
    free(v);
    pthread_mutex_unlock(&big);
    for (int i = 0; i < 100; i++) {
        char *p = malloc(64 + i);
        memset(p, 0, 64);
        usleep(10000);
        free(p);
    } // small jobs, mostly waiting
    pthread_barrier_wait(&done);
    free(mine);
    return 0;
}
int main(void) {
    pthread_t t[W];
    pthread_barrier_init(&go, 0, W);
    pthread_barrier_init(&done, 0, W + 1);
    for (long i = 0; i < W; i++) pthread_create(&t[i], 0, worker, (void *)i);
    pthread_barrier_wait(&done);
    for (int i = 0; i < W; i++) pthread_join(t[i], 0);
    printf("%d\n", result[3][7]);
    return 0;
}
