// none: one thread makes messages, three read and free them; never more than some thousand are under way.
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 4096
static char *ring[ROOM];
static unsigned head, tail;
static sem_t full, empty;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *kept[10000];

static void *reader(void *unused) {
    (void)unused;
    for (;;) {
        sem_wait(&full);
        pthread_mutex_lock(&lock);
        char *message = ring[tail++ % ROOM];
        pthread_mutex_unlock(&lock);
        sem_post(&empty);
        if (!message) return NULL;
        free(message);
    }
}

int main(void) {
    pthread_t readers[3];
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, ROOM);
    // What it works with is most of its memory.
    for (int i = 0; i < 10000; i++) kept[i] = malloc(1500), memset(kept[i], 1, 1500);
    for (int i = 0; i < 3; i++) pthread_create(&readers[i], NULL, reader, NULL);
    for (int i = 0; i < 200003; i++) {
        char *message = i < 200000 ? malloc(60 + i % 300) : NULL;
        if (message) memset(message, 1, 60);
        sem_wait(&empty);
        pthread_mutex_lock(&lock);
        ring[head++ % ROOM] = message;
        pthread_mutex_unlock(&lock);
        sem_post(&full);
    }
    for (int i = 0; i < 3; i++) pthread_join(readers[i], NULL);
    for (int i = 0; i < 10000; i++) free(kept[i]);
    return 0;
}
