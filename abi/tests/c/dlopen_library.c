// survival: a running program opens the library (RTLD_LOCAL) and uses it beside its own malloc, from threads old and new,
//   closes it while such threads live, and opens it again; 20 rounds
// run: alone
#include <dlfcn.h>

#include "threads.h"

struct library {
    void *handle;
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void (*free)(void *);
};

static struct library library;
static pthread_barrier_t opened, used, closed;

static void *symbol(const char *name) {
    void *address = dlsym(library.handle, name);
    CHECK(address != NULL, "dlsym(%s): %s", name, dlerror());
    return address;
}

static void open_library(void) {
    const char *path = getenv("HEAPWRIGHT_SO");
    CHECK(path != NULL, "HEAPWRIGHT_SO is not set");
    library.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library.handle != NULL, "dlopen: %s", dlerror());
    library.malloc = symbol("malloc"), library.calloc = symbol("calloc"), library.realloc = symbol("realloc");
    library.aligned_alloc = symbol("aligned_alloc"), library.free = symbol("free");
    CHECK(library.malloc != malloc, "RTLD_LOCAL replaces the program's own malloc");
}

static void use_library(void) {
    enum { COUNT = 600 };
    char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = 1 + i * i / 2;
        blocks[i] = i % 3 == 0 ? library.malloc(size) : i % 3 == 1 ? library.calloc(1, size) : library.aligned_alloc(64, size);
        CHECK(blocks[i] != NULL, "the opened library refuses %zu bytes", size);
        fill(blocks[i], size < 500 ? size : 500, (unsigned)i);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t size = 1 + i * i / 2, part = size < 500 ? size : 500;
        blocks[i] = library.realloc(blocks[i], size + 100);
        CHECK(blocks[i] && first_difference(blocks[i], part, (unsigned)i) == part, "a block of %zu was overwritten", size);
        library.free(blocks[i]);
    }
    free(malloc(1000));
}

// Older than the library, uses it, and ends after it was closed.
static void *elder(void *argument) {
    pthread_barrier_wait(&opened);
    use_library();
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&closed);
    return argument;
}

static void *opener(void *argument) {
    open_library();
    use_library();
    return argument;
}

static void *younger(void *argument) {
    use_library();
    return argument;
}

static void in_thread(void *(*work)(void *)) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, work, NULL) == 0, "pthread_create fails");
    pthread_join(thread, NULL);
}

int main(void) {
    alarm(55);
    for (int round = 0; round < 20; round++) {
        pthread_barrier_init(&opened, NULL, 3), pthread_barrier_init(&used, NULL, 3), pthread_barrier_init(&closed, NULL, 3);
        pthread_t elders[2];
        for (int i = 0; i < 2; i++) CHECK(pthread_create(&elders[i], NULL, elder, NULL) == 0, "pthread_create fails");
        if (round % 2) in_thread(opener);
        else open_library();
        pthread_barrier_wait(&opened);
        use_library();
        in_thread(younger);
        pthread_barrier_wait(&used);
        CHECK(dlclose(library.handle) == 0, "dlclose: %s", dlerror());
        pthread_barrier_wait(&closed);
        for (int i = 0; i < 2; i++) pthread_join(elders[i], NULL);
        pthread_barrier_destroy(&opened), pthread_barrier_destroy(&used), pthread_barrier_destroy(&closed);
    }
    return 0;
}
