// Two threads open and close a plugin, sometimes with RTLD_DEEPBIND, and pass blocks across; two allocate; one forks.
#include "storm.h"

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0
#endif

enum { WORKERS = 5 };

static char plugin[4096];

static void find_plugin(void) {
    ssize_t n = readlink("/proc/self/exe", plugin, sizeof plugin - 20);
    CHECK(n > 0, "/proc/self/exe cannot be read: errno %d", errno);
    plugin[n] = 0;
    strcpy(strrchr(plugin, '/') + 1, "plugin.so");
}

static void use_plugin(uint64_t *state) {
    int deep = draw(state, 3) == 0 ? RTLD_DEEPBIND : 0;
    void *handle = dlopen(plugin, (draw(state, 2) ? RTLD_NOW : RTLD_LAZY) | deep);
    CHECK(handle != NULL, "dlopen fails: %s", dlerror());
    void *(*take)(size_t) = (void *(*)(size_t))dlsym(handle, "plugin_take");
    void *(*change)(void *, size_t) = (void *(*)(void *, size_t))dlsym(handle, "plugin_resize");
    void (*give)(void *) = (void (*)(void *))dlsym(handle, "plugin_give");
    int (*texts)(int) = (int (*)(int))dlsym(handle, "plugin_texts");
    CHECK(take && change && give && texts, "dlsym fails: %s", dlerror());
    for (int i = 0; i < 20; i++) {
        // Allocated on one side, changed on the other, freed on either.
        size_t size = any_size(state);
        void *ours = must_obtain(state, size), *theirs = stamp(take(size), size);
        CHECK(theirs != NULL, "the plugin's malloc(%zu) is NULL", size);
        ours = change(ours, size * 2);
        CHECK(ours && *(size_t *)ours == size, "the plugin's realloc is NULL or lost contents");
        theirs = resize(theirs, size / 2 + SMALLEST);
        CHECK(theirs != NULL, "realloc of the plugin's block is NULL");
        verify(theirs);
        if (i % 2) {
            free(theirs), give(ours);
        } else {
            give(theirs), free(ours);
        }
        CHECK(texts(i * 37), "the plugin's texts differ");
    }
    CHECK(dlclose(handle) == 0, "dlclose fails: %s", dlerror());
    atomic_fetch_add_explicit(&counts->other, 1, memory_order_relaxed);
}

static void *work(void *argument) {
    uint64_t number = (uintptr_t)argument % WORKERS;
    struct own *own = calloc(1, sizeof *own);
    own->state = storm.seed + (uintptr_t)argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        if (number < 2) {
            use_plugin(&own->state);
        } else if (number < 4) {
            one_step(own);
        } else {
            one_step(own);
            pid_t child = fork_child();
            if (child == 0) {
                work_alone(&own->state, 50);
                free_own(own);
                _exit(0);
            }
            must_succeed(child, "a child");
        }
    }
    free_own(own);
    free(own);
    return NULL;
}

int main(int count, char **arguments) {
    other_name = "plugins opened";
    find_plugin();
    storm_begin(count, arguments);
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        usleep(700000);
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        free_shared();
        rest();
    }
    return storm_end();
}
