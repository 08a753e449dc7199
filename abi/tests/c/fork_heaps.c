// heapwright_heap_new, heapwright_heap_destroy: heaps come and go in other threads while the process forks; the child has a whole heap
// link: heapwright
// long: only on the flagship
#include <heapwright.h>

#include "forking.h"

static void *make_heaps(void *argument) {
    unsigned seed = (unsigned)(uintptr_t)argument;
    while (!atomic_load(&stop_churning)) {
        heapwright_heap *heap = heapwright_heap_new();
        CHECK(heap != NULL, "heapwright_heap_new fails");
        char *blocks[30];
        for (int i = 0; i < 30; i++) {
            // One thread's heaps have runs too; the others' come and go as fast as they can.
            blocks[i] = heapwright_heap_malloc(heap, i || seed ? 64 : 100000);
            CHECK(blocks[i] != NULL, "a block of a heap is NULL");
            fill(blocks[i], 64, seed);
        }
        for (int i = 0; i < 30; i++) CHECK(first_difference(blocks[i], 64, seed) == 64, "a heap's block was overwritten");
        heapwright_heap_destroy(heap);
    }
    return NULL;
}

int main(void) {
    pthread_t threads[6];
    for (uintptr_t i = 0; i < 6; i++) pthread_create(&threads[i], NULL, make_heaps, (void *)i);
    for (int round = 0; round < trials(200); round++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            heapwright_heap *heap = heapwright_heap_new();
            for (int i = 0; i < 100; i++) CHECK(heapwright_heap_malloc(heap, 64) != NULL, "the child's heap has no memory");
            if (round % 20 == 0) use_every_size();
            _exit(heapwright_check() ? 4 : 0);
        }
        ended_well(child, "child");
    }
    stop_and_join(threads, 6);
    CHECK(heapwright_check() == 0, "a structure is broken");
    return 0;
}
