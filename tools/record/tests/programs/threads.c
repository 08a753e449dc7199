// Four threads that exchange blocks, with names of their own; some are born and end while others run.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic(void *) box[64];

static void *work(void *number) {
    char name[16];
    snprintf(name, sizeof name, "worker %ld", (long)number);
    pthread_setname_np(pthread_self(), name);
    unsigned x = (unsigned)(long)number;
    for (int i = 0; i < 20000; i++) {
        x = x * 1103515245 + 12345;
        free(atomic_exchange(&box[x >> 16 & 63], malloc(8 + (x >> 20) % 300)));
    }
    return NULL;
}

int main(void) {
    for (long round = 0; round < 3; round++) {
        pthread_t threads[4];
        for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, (void *)(round * 4 + i));
        for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 64; i++) free(box[i]);
    return 0;
}
