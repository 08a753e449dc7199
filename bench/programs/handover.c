/* One thread allocates, another frees, for as long as is asked: `handover SECONDS`. Objects of 16 to 1,023 bytes pass through
 * a ring of 64 slots of 120. Printed is the resident memory after the first ten seconds, and the most there was after that:
 * who lets memory pile up between threads grows. */
#include "common.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SLOTS = 64, PER_SLOT = 120, WARM = 10 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t made, used; /* slots, each only grows; used <= made <= used + SLOTS */
    unsigned char *objects[SLOTS][PER_SLOT];
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static atomic_int stop;

static void wait_while(uint64_t difference) {
    pthread_mutex_lock(&ring.lock);
    while (ring.made - ring.used == difference && !atomic_load(&stop)) pthread_cond_wait(&ring.changed, &ring.lock);
    pthread_mutex_unlock(&ring.lock);
}

static void advance(uint64_t *which) {
    pthread_mutex_lock(&ring.lock);
    *which += 1;
    pthread_cond_signal(&ring.changed);
    pthread_mutex_unlock(&ring.lock);
}

static void *produce(void *unused) {
    (void)unused;
    Random random = RANDOM(11);
    for (uint64_t slot = 0;; slot++) {
        wait_while(SLOTS);
        if (atomic_load(&stop)) return NULL;
        for (int i = 0; i < PER_SLOT; i++) {
            unsigned char *p = must(malloc(random_size(&random, 4, 10)));
            p[0] = (unsigned char)i;
            ring.objects[slot % SLOTS][i] = p;
        }
        advance(&ring.made);
    }
}

static void *consume(void *unused) {
    (void)unused;
    for (uint64_t slot = 0;; slot++) {
        wait_while(0);
        if (atomic_load(&stop)) return NULL;
        for (int i = 0; i < PER_SLOT; i++) {
            unsigned char *p = ring.objects[slot % SLOTS][i];
            if (p[0] != (unsigned char)i) broken("handover: an object lost its mark");
            free(p);
        }
        advance(&ring.used);
    }
}

int main(int argc, char **argv) {
    uint64_t seconds = argument(argc, argv, 1, 300), warm = 0, most = 0;
    pthread_t producer, consumer;
    if (pthread_create(&consumer, NULL, consume, NULL) || pthread_create(&producer, NULL, produce, NULL))
        broken("handover: cannot create a thread");
    uint64_t first = seconds > WARM ? WARM : seconds / 2;
    for (uint64_t second = 1; second <= seconds; second++) {
        sleep(1);
        uint64_t now = rss_kib();
        if (second <= first) warm = now > warm ? now : warm;
        else most = now > most ? now : most;
    }
    pthread_mutex_lock(&ring.lock);
    atomic_store(&stop, 1);
    uint64_t passed = ring.used * PER_SLOT;
    pthread_cond_broadcast(&ring.changed);
    pthread_mutex_unlock(&ring.lock);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    print("objects", passed);
    print("warm_kib", warm);
    print("most_kib", most);
    print("growth_permille", most * 1000 / warm);
    return 0;
}
