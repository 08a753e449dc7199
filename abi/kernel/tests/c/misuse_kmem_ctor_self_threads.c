// kmem_cache_create: so does one in a process with threads, also by a detour
// expect: heapwright: kfree: cache session: its constructor uses it
#include <unistd.h>

#include "check.h"

static struct kmem_cache *cache, *other;
static void *first;

static void construct(void *object) {
    *(long *)object = 0;
    if (first) (void)hide(kmem_cache_alloc(other, GFP_KERNEL));
}

static void detour(void *object) {
    *(long *)object = 0;
    kfree(first);
}

static void *sleep_long(void *unused) {
    pause();
    return unused;
}

int main(void) {
    pthread_t thread;
    alarm(60);
    pthread_create(&thread, NULL, sleep_long, NULL);
    cache = kmem_cache_create("session", 1024, 0, 0, construct);
    other = kmem_cache_create("other", 64, 0, 0, detour);
    first = kmem_cache_alloc(cache, GFP_KERNEL);
    for (int i = 0; i < 100; i++) (void)hide(kmem_cache_alloc(cache, GFP_KERNEL));
    return 0;
}
