// survival: the first calls of dlopen, with RTLD_DEEPBIND, come from many threads at once
// also: glibc
// plugin: exchange.c
#include "exchange.h"
#include "threads.h"

enum { THREADS = 8 };

static pthread_barrier_t all;

static void *opener(void *path) {
    pthread_barrier_wait(&all);
    for (int round = 0; round < 50; round++) {
        void *plugin = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
        CHECK(plugin != NULL, "dlopen: %s", dlerror());
        exchange(plugin);
        CHECK(dlclose(plugin) == 0, "dlclose: %s", dlerror());
    }
    return NULL;
}

int main(void) {
    alarm(55);
    char *path = getenv("PLUGIN");
    CHECK(path != NULL, "PLUGIN is not set");
    pthread_t threads[THREADS];
    pthread_barrier_init(&all, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, opener, path) == 0, "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    return 0;
}
