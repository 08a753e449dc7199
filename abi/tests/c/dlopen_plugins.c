// survival: a program on the library opens and closes plugins that allocate in constructors, destructors and
//   thread-locals, with and without RTLD_DEEPBIND, and free each other's blocks
// also: glibc
// plugin: plugin.c
#include <dlfcn.h>

#include "threads.h"

static void *use_plugin(void *path) {
    for (int round = 0; round < 40; round++) {
        void *handle = dlopen(path, RTLD_NOW | (round % 2 ? RTLD_DEEPBIND : 0));
        CHECK(handle != NULL, "dlopen: %s", dlerror());
        char *(*make)(size_t) = dlsym(handle, "plugin_make");
        void (*drop)(char *) = dlsym(handle, "plugin_drop");
        CHECK(make && drop, "dlsym: %s", dlerror());
        char *ours = malloc(2000), *theirs = make(2000);
        fill(ours, 2000, 8);
        CHECK(first_difference(theirs, 2000, 8) == 2000, "the plugin's block is not as it was filled");
        drop(ours), free(theirs);
        CHECK(dlclose(handle) == 0, "dlclose: %s", dlerror());
    }
    return NULL;
}

int main(void) {
    alarm(55);
    char *path = getenv("PLUGIN");
    CHECK(path != NULL, "PLUGIN is not set");
    use_plugin(path);
    pthread_t churning[2], threads[3];
    start_churning(churning, 2);
    for (int i = 0; i < 3; i++) CHECK(pthread_create(&threads[i], NULL, use_plugin, path) == 0, "pthread_create fails");
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    stop_and_join(churning, 2);
    return 0;
}
