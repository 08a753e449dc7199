// Heaps of heapwright.h are made, filled and destroyed by six threads while main forks; children make heaps too.
#include "storm.h"

enum { WORKERS = 6, BRIEF = 4, BLOCKS = 150 };

static void *(*heap_new)(void);
static void *(*heap_malloc)(void *, size_t);
static void *(*heap_aligned)(void *, size_t, size_t);
static void (*heap_destroy)(void *);

// Some blocks are freed one by one, some resized, which may move them out of the heap; the rest go with the heap.
static void use_heap(uint64_t *state, int blocks) {
    void *heap = heap_new(), *kept[BLOCKS];
    CHECK(heap != NULL, "heapwright_heap_new is NULL with errno %d", errno);
    for (int i = 0; i < blocks; i++) {
        size_t size = SMALLEST + draw(state, draw(state, 20) ? 600 : 200 * KIB);
        size_t alignment = (size_t)16 << draw(state, 6);
        kept[i] = stamp(i % 5 ? heap_malloc(heap, size) : heap_aligned(heap, alignment, size), size);
        CHECK(kept[i] != NULL, "a heap's allocation of %zu is NULL", size);
        atomic_fetch_add_explicit(&counts->bytes, (long)size, memory_order_relaxed);
    }
    for (int i = 0; i < blocks; i++) {
        verify(kept[i]);
        switch (draw(state, 6)) {
        case 0: give_back(kept[i]); break;
        case 1:
            // Freed before the heap goes: whichever heap it is in.
            kept[i] = resize(kept[i], SMALLEST + draw(state, 4000));
            CHECK(kept[i] != NULL, "realloc of a heap's block is NULL");
            give_back(kept[i]);
            break;
        default: break;
        }
    }
    heap_destroy(heap);
    atomic_fetch_add_explicit(&counts->other, 1, memory_order_relaxed);
}

// As fast as it goes: the heap's own making and end are what races here.
static void brief_heap(void) {
    void *heap = heap_new(), *kept[100];
    CHECK(heap != NULL, "heapwright_heap_new is NULL with errno %d", errno);
    for (int i = 0; i < 100; i++) CHECK((kept[i] = stamp(heap_malloc(heap, 64), 64)) != NULL, "a heap's allocation of 64 is NULL");
    for (int i = 0; i < 100; i++) verify(kept[i]);
    heap_destroy(heap);
    atomic_fetch_add_explicit(&counts->other, 1, memory_order_relaxed);
}

static void *work(void *argument) {
    uint64_t state = storm.seed + (uintptr_t)argument;
    int brief = (uintptr_t)argument % WORKERS < BRIEF;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        if (brief) {
            brief_heap();
            continue;
        }
        use_heap(&state, (int)draw(&state, BLOCKS));
        work_alone(&state, 10);
    }
    return NULL;
}

int main(int count, char **arguments) {
    other_name = "heaps";
    storm_begin(count, arguments);
    heap_new = (void *(*)(void))dlsym(RTLD_DEFAULT, "heapwright_heap_new");
    heap_malloc = (void *(*)(void *, size_t))dlsym(RTLD_DEFAULT, "heapwright_heap_malloc");
    heap_aligned = (void *(*)(void *, size_t, size_t))dlsym(RTLD_DEFAULT, "heapwright_heap_aligned_alloc");
    heap_destroy = (void (*)(void *))dlsym(RTLD_DEFAULT, "heapwright_heap_destroy");
    if (!heap_new || !heap_malloc || !heap_aligned || !heap_destroy) SKIP("this malloc has no heaps of heapwright.h");
    uint64_t state = storm.seed;
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        for (double end = now() + 0.7; now() < end; beat()) {
            pid_t child = fork_child();
            if (child == 0) {
                use_heap(&state, 100);
                brief_heap();
                check_heap();
                _exit(0);
            }
            must_succeed(child, "a child");
            random_next(&state);
        }
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        rest();
    }
    return storm_end();
}
