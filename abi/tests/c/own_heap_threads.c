// heapwright.h: several threads allocate from one heap at once, others free its blocks, one destroys it
// link: heapwright
#include <heapwright.h>
#include <pthread.h>

#include "check.h"

enum { THREADS = 4, EACH = 3000 };

static heapwright_heap *heap;
static char *blocks[THREADS][EACH];

static void *allocate(void *argument) {
    uintptr_t me = (uintptr_t)argument;
    for (int i = 0; i < EACH; i++) {
        size_t size = 1 + (size_t)i % 700;
        blocks[me][i] = heapwright_heap_malloc(heap, size);
        CHECK(blocks[me][i] != NULL, "heapwright_heap_malloc(%zu) is NULL", size);
        fill(blocks[me][i], size, (unsigned)me);
    }
    return NULL;
}

static void *release(void *argument) {
    uintptr_t other = ((uintptr_t)argument + 1) % THREADS;
    for (int i = 0; i < EACH; i++) {
        size_t size = 1 + (size_t)i % 700;
        CHECK(first_difference(blocks[other][i], size, (unsigned)other) == size, "another thread's block was overwritten");
        if (i % 2) free(blocks[other][i]);
    }
    return NULL;
}

static void everywhere(void *(*work)(void *)) {
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, work, (void *)i), "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

int main(void) {
    for (int round = 0; round < 10; round++) {
        heap = heapwright_heap_new();
        CHECK(heap != NULL, "heapwright_heap_new() is NULL");
        everywhere(allocate);
        everywhere(release);
        heapwright_heap_destroy(heap);
        CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    }
    return 0;
}
