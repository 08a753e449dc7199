// survival: threads that replace, hand over, reallocate and align blocks at random, and come and go; contents verified at free
// also: glibc
// again: HEAPWRIGHT=safe=1
// again: HEAPWRIGHT=background=1
// args: 3 6 1
#include <sched.h>

#include "threads.h"

// usage: stress [SECONDS [THREADS [SEED]]]

enum { SHARED = 4096, OWN = 1500, LIFE = 60000 };

struct block {
    uint32_t size, seed;
    unsigned char bytes[];
};

static struct block *_Atomic shared[SHARED];
static atomic_int over;
static atomic_ulong operations;

static size_t body(const struct block *block) { return block->size - sizeof *block; }

// Fills or verifies: all of a small block, a stride and the last byte of a large one.
static void touch(struct block *block, int verify) {
    size_t size = body(block), step = size <= 512 ? 1 : size / 256;
    for (size_t next = 0; next < size + step; next += step) {
        size_t at = next < size ? next : size - 1;
        if (size == 0) return;
        if (!verify) block->bytes[at] = pattern_at(at, block->seed);
        else CHECK(block->bytes[at] == pattern_at(at, block->seed), "byte %zu of a block of %u at %p was overwritten", at, block->size, (void *)block);
    }
}

static size_t random_size(uint64_t *state) {
    uint64_t r = random_next(state);
    switch (r % 32) {
    case 0: return sizeof(struct block) + (r >> 8) % (300 * KIB);
    case 1: case 2: case 3: return sizeof(struct block) + (r >> 8) % (20 * KIB);
    default: return sizeof(struct block) + (r >> 8) % ((size_t)8 << (r >> 40) % 8);
    }
}

static struct block *make(uint64_t *state) {
    size_t size = random_size(state);
    uint64_t kind = random_next(state) % 16;
    struct block *block = kind == 0   ? aligned_alloc((size_t)16 << random_next(state) % 10, size)
                          : kind == 1 ? calloc(1, size)
                                      : malloc(size);
    CHECK(block != NULL, "an allocation of %zu is NULL", size);
    if (kind == 1) CHECK(first_dirty(block, size < 4096 ? size : 4096) == (size < 4096 ? size : 4096), "calloc(%zu) is not zero", size);
    block->size = (uint32_t)size;
    block->seed = (uint32_t)random_next(state);
    touch(block, 0);
    return block;
}

static void drop(struct block *block) {
    if (!block) return;
    touch(block, 1);
    block->seed++;
    free(block);
}

static struct block *resize(struct block *block, uint64_t *state) {
    touch(block, 1);
    struct block old = *block;
    size_t size = random_size(state);
    block = realloc(block, size);
    CHECK(block != NULL, "realloc to %zu is NULL", size);
    CHECK(block->size == old.size && block->seed == old.seed, "realloc from %u to %zu lost the head", old.size, size);
    size_t kept = (size < old.size ? size : old.size) - sizeof *block;
    if (kept <= 512 && body(&old) <= 512)
        for (size_t at = 0; at < kept; at++)
            CHECK(block->bytes[at] == pattern_at(at, old.seed), "realloc from %u to %zu lost byte %zu", old.size, size, at);
    block->size = (uint32_t)size;
    touch(block, 0);
    return block;
}

static void *work(void *argument) {
    uint64_t state = (uintptr_t)argument;
    struct block **own = calloc(OWN, sizeof *own);
    unsigned long done = 0;
    while (!atomic_load_explicit(&over, memory_order_relaxed) && done < LIFE) {
        uint64_t r = random_next(&state);
        size_t at = (r >> 8) % OWN;
        switch (r % 8) {
        case 0: case 1: case 2: drop(own[at]), own[at] = make(&state); break;
        case 3: if (own[at]) own[at] = resize(own[at], &state); break;
        case 4: case 5: drop(atomic_exchange(&shared[(r >> 32) % SHARED], make(&state))); break;
        case 6: own[at] = atomic_exchange(&shared[(r >> 32) % SHARED], own[at]); break;
        default: drop(own[at]), own[at] = NULL;
        }
        done++;
    }
    // Half of a dying thread's blocks are left to the others.
    for (size_t i = 0; i < OWN; i++) drop(i % 2 ? atomic_exchange(&shared[random_next(&state) % SHARED], own[i]) : own[i]);
    free(own);
    atomic_fetch_add(&operations, done);
    return NULL;
}

// One thread makes, its partner drops, in order: every free is remote.
static struct block *_Atomic ring[256];

static void *produce(void *argument) {
    uint64_t state = (uintptr_t)argument;
    for (size_t i = 0; !atomic_load(&over); i++) {
        struct block *block = make(&state), *expected = NULL;
        while (!atomic_compare_exchange_weak(&ring[i % 256], &expected, block)) {
            if (expected && atomic_load(&over)) return drop(block), NULL;
            if (expected) sched_yield();
            expected = NULL;
        }
    }
    return NULL;
}

static void *consume(void *argument) {
    for (size_t i = 0; !atomic_load(&over); i++) {
        struct block *block;
        while (!(block = atomic_exchange(&ring[i % 256], NULL))) {
            if (atomic_load(&over)) return argument;
            sched_yield();
        }
        drop(block);
        atomic_fetch_add_explicit(&operations, 1, memory_order_relaxed);
    }
    return argument;
}

static void start(pthread_t *thread, void *(*body)(void *), uint64_t seed) {
    CHECK(pthread_create(thread, NULL, body, (void *)(uintptr_t)seed) == 0, "pthread_create fails");
}

int main(int count, char **arguments) {
    double seconds = trials(count > 1 ? atof(arguments[1]) : 3);
    int threads = count > 2 ? atoi(arguments[2]) : 6;
    uint64_t seed = count > 3 ? strtoull(arguments[3], NULL, 10) : 1;
    CHECK(threads > 0 && threads <= 256, "usage: stress [SECONDS [THREADS [SEED]]], 1 to 256 threads");
    alarm((unsigned)seconds + 40);
    pthread_t pair[2], crowd[256];
    start(&pair[0], produce, random_next(&seed)), start(&pair[1], consume, 0);
    for (int i = 0; i < threads; i++) start(&crowd[i], work, random_next(&seed));
    for (double end = seconds_now() + seconds; seconds_now() < end;)
        for (int i = 0; i < threads && seconds_now() < end; i++) {
            pthread_join(crowd[i], NULL);
            start(&crowd[i], work, random_next(&seed));
        }
    atomic_store(&over, 1);
    for (int i = 0; i < threads; i++) pthread_join(crowd[i], NULL);
    for (int i = 0; i < 2; i++) pthread_join(pair[i], NULL);
    for (int i = 0; i < SHARED; i++) drop(shared[i]);
    for (int i = 0; i < 256; i++) drop(ring[i]);
    printf("%lu operations\n", operations);
    return 0;
}
