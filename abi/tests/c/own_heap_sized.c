// heapwright.h: free_sized and free_aligned_sized take a heap's block like any other, in any thread; none is handed out twice
// link: heapwright
// again: HEAPWRIGHT=safe=1
#include <heapwright.h>
#include <pthread.h>

#include "check.h"

enum { MOST = 20000 };

static const size_t sizes[] = {0, 1, 16, 100, 256, 257, 1000, 20000, 65536, 70000, 300000};

// What ordinary malloc hands out while the heap is there must stay whole when the heap has gone.
static void free_in_heap(void) {
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        size_t size = sizes[s], count = size > 20000 ? 4 : 200;
        heapwright_heap *heap = heapwright_heap_new();
        char *blocks[200], *later[200];
        for (size_t i = 0; i < count; i++) {
            blocks[i] = i % 2 ? heapwright_heap_malloc(heap, size) : heapwright_heap_aligned_alloc(heap, 64, size);
            CHECK(blocks[i] != NULL, "a heap's block of %zu is NULL", size);
        }
        for (size_t i = 0; i < count; i++) {
            if (i % 2) free_sized(blocks[i], size);
            else free_aligned_sized(blocks[i], 64, size);
        }
        CHECK(heapwright_check() == 0, "the heap is broken after free_sized of %zu", size);
        for (size_t i = 0; i < count; i++) {
            later[i] = malloc(size);
            CHECK(later[i] != NULL, "malloc(%zu) is NULL", size);
            fill(later[i], size, (unsigned)i);
        }
        heapwright_heap_destroy(heap);
        static void *row[MOST];
        heapwright_heap *other = heapwright_heap_new();
        size_t many = size > 20000 ? 20 : 2000;
        for (size_t i = 0; i < many; i++) {
            row[i] = i % 2 ? malloc(size) : heapwright_heap_malloc(other, size);
            memset(hide(row[i]), 0xee, size);
        }
        for (size_t i = 0; i < count; i++)
            CHECK(first_difference(later[i], size, (unsigned)i) == size, "a block of %zu was handed out twice", size);
        for (size_t i = 1; i < many; i += 2) free_sized(row[i], size);
        for (size_t i = 0; i < count; i++) free_sized(later[i], size);
        heapwright_heap_destroy(other);
        CHECK(heapwright_check() == 0, "the heap is broken at the end of %zu", size);
    }
}

static void *in_thread(void *unused) {
    // Its magazines are there before the first heap is.
    free_sized(malloc(100), 100);
    pthread_barrier_wait(unused);
    pthread_barrier_wait(unused);
    free_in_heap();
    return NULL;
}

// Whatever size a block gets, it dies with its heap.
static void grow_in_heap(void) {
    heapwright_stats_t before, after;
    heapwright_stats(&before);
    heapwright_heap *heap = heapwright_heap_new();
    for (int i = 0; i < 100; i++) {
        char *block = heapwright_heap_malloc(heap, 10);
        for (size_t size = 10; size < 300000; size *= 3) {
            block = realloc(block, size * 3);
            CHECK(block != NULL, "realloc of a heap's block is NULL");
        }
    }
    heapwright_heap_destroy(heap);
    heapwright_stats(&after);
    CHECK(after.live_bytes < before.live_bytes + MIB, "%zu bytes outlive their heap", after.live_bytes - before.live_bytes);
}

int main(void) {
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, in_thread, &barrier) == 0, "no thread");
    pthread_barrier_wait(&barrier);
    free_in_heap();
    grow_in_heap();
    pthread_barrier_wait(&barrier);
    pthread_join(thread, NULL);
    return 0;
}
