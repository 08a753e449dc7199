// POSIX.1-2024 pthread_atfork: a library's handlers, registered in its constructor or when it is opened, may take a lock that
//   other threads hold around malloc
// also: glibc
// library: fork_locker.c
// plugin: fork_locker_plugin.c
#include <dlfcn.h>

#include "forking.h"

pthread_mutex_t *locker(void);

static void *allocate_inside(void *argument) {
    pthread_mutex_t *mutex = argument;
    while (!atomic_load(&stop_churning)) {
        static __thread void *blocks[300];
        pthread_mutex_lock(mutex);
        for (int i = 0; i < 300; i++) blocks[i] = malloc(2000);
        for (int i = 0; i < 300; i++) free(blocks[i]);
        pthread_mutex_unlock(mutex);
        // The mutex is not fair: without a pause the thread that forks might wait for ever.
        usleep(50);
    }
    return NULL;
}

int main(void) {
    void *plugin = dlopen(getenv("PLUGIN"), RTLD_NOW | RTLD_LOCAL);
    CHECK(plugin != NULL, "dlopen: %s", dlerror());
    pthread_mutex_t *(*opened)(void) = dlsym(plugin, "locker");
    CHECK(opened != NULL && opened() != locker(), "dlsym: %s", dlerror());
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, allocate_inside, i ? locker() : opened());
    fork_many(150, "child");
    stop_and_join(threads, 3);
    return 0;
}
