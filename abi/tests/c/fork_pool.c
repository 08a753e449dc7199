// survival: threads of a pool fork, vfork and spawn at once while others allocate, open libraries and close them
// also: glibc
// again: HEAPWRIGHT=background=1
#include <dlfcn.h>
#include <spawn.h>

#include "forking.h"

extern char **environ;

static void *work(void *argument) {
    uint64_t state = (uintptr_t)argument;
    for (int round = 0; round < 24; round++) {
        allocate_some(&state);
        pid_t child = -1;
        char *arguments[] = {"true", NULL};
        switch (round % 3) {
        case 0: fork_and_use("child of a worker"); continue;
        case 1:
            child = vfork();
            if (child == 0) {
                execv("/bin/true", arguments);
                _exit(1);
            }
            break;
        default: CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0, "posix_spawn fails");
        }
        ended_well(child, "program");
    }
    return NULL;
}

static void *open_and_close(void *argument) {
    while (!atomic_load(&stop_churning)) {
        // libm is no part of the program; the plugin would stay because of its handlers.
        void *library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
        if (library) dlclose(library);
    }
    return argument;
}

int main(void) {
    // A child may find the loader's lock taken, so children open nothing.
    pthread_t workers[3], others[2];
    start_churning(others, 1);
    pthread_create(&others[1], NULL, open_and_close, NULL);
    for (uintptr_t i = 0; i < 3; i++) pthread_create(&workers[i], NULL, work, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(workers[i], NULL);
    stop_and_join(others, 2);
    return 0;
}
