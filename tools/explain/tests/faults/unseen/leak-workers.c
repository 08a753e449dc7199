// leak: four workers, each of whose jobs leaves its context behind when it was tried twice.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *worker(void *number) {
    unsigned seed = (unsigned)(size_t)number + 1;
    for (int job = 0; job < 20000; job++) {
        seed = seed * 1103515245u + 12345u;
        char *context = calloc(1, 256);
        char *scratch[8];
        for (int i = 0; i < 8; i++) scratch[i] = malloc(100 + (seed >> (8 + i)) % 800);
        memset(scratch[seed >> 16 & 7], 1, 100);
        for (int i = 0; i < 8; i++) free(scratch[i]);
        if ((seed >> 16) % 5) free(context);
        if (job % 200 == 0) usleep(1000);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++) pthread_create(&threads[i], NULL, worker, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    return 0;
}
