// heapwright.h: heapwright_walk shows each live block once with its size, and what is free not at all or as kept, while other threads go on
// link: heapwright
#include <heapwright.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

enum { LIVE = 6000, FREED = 6000, CHURN = 500, THREADS = 3, WALKS = 30 };

// A block whose fate is known, and what the walk said of it.
struct known {
    uintptr_t at;
    int is_live, live, kept;
    size_t size;
};

static struct known known[LIVE + FREED];
static int count;
static _Atomic int stop, idle;

static int by_address(const void *one, const void *other) {
    const struct known *a = one, *b = other;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void seen(void *block, size_t size, int live, void *user) {
    struct known key = {.at = (uintptr_t)block};
    struct known *found = bsearch(&key, known, (size_t)count, sizeof *known, by_address);
    CHECK(user == known, "the walk passes another pointer than was given");
    if (!found) return;
    if (!live) {
        found->kept++;
        return;
    }
    found->live++;
    found->size = size;
}

static void *churn(void *argument) {
    uint64_t state = (uintptr_t)argument;
    char *blocks[CHURN] = {NULL};
    while (!stop) {
        size_t at = random_next(&state) % CHURN;
        free(blocks[at]);
        blocks[at] = hide(malloc(random_next(&state) % 3000));
    }
    for (int i = 0; i < CHURN; i++) free(blocks[i]);
    return NULL;
}

// Frees blocks, and keeps what its cache takes of them while others walk.
static void *keep(void *argument) {
    char **blocks = argument;
    for (int i = 0; i < FREED; i++) free(blocks[i]);
    idle = 1;
    while (!stop) usleep(1000);
    return NULL;
}

static size_t size_of(int i) {
    if (i == LIVE - 1) return 40 * MIB;
    return i % 500 ? 1 + (size_t)i * 7 % 3000 : (size_t)i * 64;
}

int main(void) {
    static char *freed[FREED];
    for (int i = 0; i < LIVE; i++) {
        char *block = i % 10 ? malloc(size_of(i)) : aligned_alloc(64, (size_of(i) + 63) / 64 * 64);
        CHECK(block != NULL, "an allocation of %zu is NULL", size_of(i));
        known[count++] = (struct known){.at = (uintptr_t)block, .is_live = 1};
    }
    for (int i = 0; i < FREED; i++) freed[i] = malloc(size_of(i) % 5000);
    heapwright_heap *heap = heapwright_heap_new();
    void *other = heapwright_heap_malloc(heap, 100);
    known[count++] = (struct known){.at = (uintptr_t)other};
    qsort(known, (size_t)count, sizeof *known, by_address);
    pthread_t keeper, threads[THREADS];
    CHECK(!pthread_create(&keeper, NULL, keep, freed), "pthread_create fails");
    while (!idle) usleep(1000);
    // With nobody at work what the keeper has is all free, and nothing else of it is.
    errno = 4242;
    CHECK(heapwright_walk(seen, known) == 0, "heapwright_walk() fails");
    CHECK(errno == 4242, "heapwright_walk() sets errno to %d", errno);
    for (uintptr_t i = 0; i < THREADS; i++) CHECK(!pthread_create(&threads[i], NULL, churn, (void *)(i + 1)), "pthread_create fails");
    for (int walk = 1; walk < WALKS; walk++) CHECK(heapwright_walk(seen, known) == 0, "heapwright_walk() fails");
    for (int i = 0; i < count; i++) {
        struct known *one = &known[i];
        if (!one->is_live) {
            CHECK(!one->live && !one->kept, "a block of a heap of its own is shown");
            continue;
        }
        size_t usable = malloc_usable_size((void *)one->at);
        CHECK(one->live == WALKS, "a live block of %zu is shown %d times as live in %d walks", usable, one->live, WALKS);
        CHECK(one->kept == 0, "a live block of %zu is shown as kept", usable);
        CHECK(one->size == usable, "a block of %zu is shown as one of %zu", usable, one->size);
    }
    // The freed ones: no other thread took them, as they are the keeper's or of slabs that are free.
    stop = 1;
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    pthread_join(keeper, NULL);
    stop = idle = count = 0;
    for (int i = 0; i < FREED; i++) freed[i] = malloc(size_of(i) % 5000);
    for (int i = 0; i < FREED; i++) known[count++] = (struct known){.at = (uintptr_t)freed[i]};
    qsort(known, (size_t)count, sizeof *known, by_address);
    CHECK(!pthread_create(&keeper, NULL, keep, freed), "pthread_create fails");
    while (!idle) usleep(1000);
    CHECK(heapwright_walk(seen, known) == 0, "heapwright_walk() fails");
    int kept = 0;
    for (int i = 0; i < count; i++) {
        CHECK(known[i].live <= known[i].kept, "a free block is shown as live and not as kept");
        kept += known[i].kept;
    }
    CHECK(kept > 100, "only %d blocks are kept", kept);
    stop = 1;
    pthread_join(keeper, NULL);
    heapwright_heap_destroy(heap);
    return 0;
}
