// survival: a program that has taken all keys of pthread_key_create opens the library: its threads' ends are noticed all the same
// run: alone
#include <dlfcn.h>
#include <sys/mman.h>

#include "forking.h"

static void *(*their_malloc)(size_t);
static void (*their_free)(void *);

static void *work(void *argument) {
    void *blocks[50];
    for (size_t i = 0; i < 50; i++) blocks[i] = their_malloc(i * 30 + 1);
    for (size_t i = 0; i < 50; i++) their_free(blocks[i]);
    return argument;
}

int main(void) {
    alarm(50);
    pthread_key_t key;
    int keys = 0;
    while (pthread_key_create(&key, NULL) == 0) keys++;
    CHECK(keys > 100, "there are %d keys", keys);
    void *library = dlopen(getenv("HEAPWRIGHT_SO"), RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL, "dlopen: %s", dlerror());
    their_malloc = dlsym(library, "malloc"), their_free = dlsym(library, "free");
    struct {
        size_t bytes[6];
        uint32_t threads[2];
        char rest[256];
    } figures;
    int (*stats)(void *, size_t) = dlsym(library, "heapwright_stats");
    size_t size = 1 << 18;
    for (int round = 0; round < 20; round++) {
        void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_t thread;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstack(&attributes, stack, size);
        CHECK(pthread_create(&thread, &attributes, work, NULL) == 0, "pthread_create fails");
        pthread_join(thread, NULL);
        munmap(stack, size);
        pid_t child = fork();
        if (child == 0) {
            work(NULL);
            _exit(0);
        }
        ended_well(child, "child");
        stats(&figures, sizeof figures);
    }
    return 0;
}
