// Threads one after another of which the recorder hears only when they have ended: the C library frees the buffer of strerror, or
// a destructor allocates in every round. Writes how much memory the process has mapped from the recording's file at the end.
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 10000 };

static pthread_key_t key;

static void *leave_buffer(void *argument) {
    return strerror(9999) ? argument : NULL;
}

static void destroy(void *round) {
    free(malloc(4343));
    if ((intptr_t)round < PTHREAD_DESTRUCTOR_ITERATIONS) pthread_setspecific(key, (char *)round + 1);
}

static void *leave_value(void *argument) {
    pthread_setspecific(key, (void *)1);
    return argument;
}

static void *free_many(void *blocks) {
    for (int i = 0; i < 100; i++) free(((void **)blocks)[i]);
    return NULL;
}

static void one_after_another(void *(*work)(void *), int count) {
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        void *blocks[100];
        for (int b = 0; b < 100 && work == free_many; b++) blocks[b] = malloc(4444);
        if (pthread_create(&thread, NULL, work, blocks)) exit(1);
        pthread_join(thread, NULL);
    }
}

int main(void) {
    pthread_key_create(&key, destroy);
    one_after_another(leave_buffer, THREADS);
    one_after_another(leave_value, THREADS);
    one_after_another(free_many, 100);
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[8192];
    unsigned long from, to, mapped = 0;
    while (fgets(line, sizeof line, maps)) {
        if (strstr(line, ".chunks") && sscanf(line, "%lx-%lx", &from, &to) == 2) mapped += to - from;
    }
    printf("%lu\n", mapped);
    return 0;
}
