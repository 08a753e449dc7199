/* One thread allocates, another frees: `prodcons N`. Objects of 17 to 256 bytes are written by the
 * producer and passed through a bounded ring of 16 slots of 256 objects; who finds it full or empty
 * sleeps, so that CPU time is work and not waiting. */
#include "common.h"

#include <pthread.h>

enum { SLOTS = 16, PER_SLOT = 256 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t made, used; /* slots, each only grows; used <= made <= used + SLOTS */
    unsigned char *objects[SLOTS][PER_SLOT];
} ring = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static uint64_t slots, producer_ns, consumer_ns;

static void wait_while(uint64_t difference) {
    pthread_mutex_lock(&ring.lock);
    while (ring.made - ring.used == difference) pthread_cond_wait(&ring.changed, &ring.lock);
    pthread_mutex_unlock(&ring.lock);
}

/* Wakes the other side when the ring was empty or full, and then half way: few switches of thread. */
static void advance(uint64_t *which) {
    pthread_mutex_lock(&ring.lock);
    *which += 1;
    if (ring.made - ring.used == SLOTS / 2 || slots == *which) pthread_cond_signal(&ring.changed);
    pthread_mutex_unlock(&ring.lock);
}

static void *produce(void *unused) {
    (void)unused;
    Random random = RANDOM(11);
    for (uint64_t slot = 0; slot < slots; slot++) {
        wait_while(SLOTS);
        for (int i = 0; i < PER_SLOT; i++) {
            unsigned char *p = must(malloc(random_size(&random, 4, 8)));
            p[0] = (unsigned char)i;
            p[8] = (unsigned char)slot;
            ring.objects[slot % SLOTS][i] = p;
        }
        advance(&ring.made);
    }
    producer_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

static void *consume(void *unused) {
    (void)unused;
    for (uint64_t slot = 0; slot < slots; slot++) {
        wait_while(0);
        for (int i = 0; i < PER_SLOT; i++) {
            unsigned char *p = ring.objects[slot % SLOTS][i];
            if (p[0] != (unsigned char)i || p[8] != (unsigned char)slot)
                broken("prodcons: an object lost its marks");
            free(p);
        }
        advance(&ring.used);
    }
    consumer_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t n = argument(argc, argv, 1, 20000000);
    slots = n / PER_SLOT;
    pthread_t producer, consumer;
    uint64_t wall = wall_ns(), cpu = cpu_ns();
    if (pthread_create(&consumer, NULL, consume, NULL) || pthread_create(&producer, NULL, produce, NULL))
        broken("prodcons: cannot create a thread");
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    wall = wall_ns() - wall;
    cpu = cpu_ns() - cpu;
    print("cpu_ns", cpu);
    print("ps_cpu_per_object", cpu * 1000 / (slots * PER_SLOT));
    uint64_t slower = producer_ns > consumer_ns ? producer_ns : consumer_ns;
    print("ps_slower_per_object", slower * 1000 / (slots * PER_SLOT));
    print("ps_wall_per_object", wall * 1000 / (slots * PER_SLOT));
    print("rss_kib", rss_kib());
    return 0;
}
