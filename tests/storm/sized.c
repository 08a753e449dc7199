// Blocks shrink in place and are freed with the size they were last asked for, as Rust does, here or in another thread; then a
// phase in which one of 200 small blocks stays must give its memory back, however often the sizes changed before.
#include "storm.h"

enum { WORKERS = 3, BATCH = 1000, SPREAD = 200000 };

static void (*free_with_size)(void *, size_t);

static void free_any(void *block, size_t size) {
    verify(block);
    if (free_with_size)
        free_with_size(block, size);
    else
        free(block);
}

static void *frees_batch(void *argument) {
    void **blocks = argument;
    for (int i = 0; i < BATCH; i++) free_any(blocks[i], *(size_t *)blocks[i]);
    free(blocks);
    return NULL;
}

// free_sized is for blocks of malloc, calloc and realloc only.
static void *obtain_for_sized(uint64_t *state, size_t size) {
    void *block = draw(state, 4) ? malloc(size) : calloc(1, size);
    CHECK(block != NULL, "an allocation of %zu is NULL", size);
    return stamp(block, size);
}

static void **make_batch(uint64_t *state) {
    void **blocks = malloc(BATCH * sizeof(void *));
    CHECK(blocks != NULL, "malloc is NULL");
    for (int i = 0; i < BATCH; i++) {
        size_t size = SMALLEST + draw(state, draw(state, 30) ? 500 : 100 * KIB);
        blocks[i] = obtain_for_sized(state, size);
        if (draw(state, 2)) {
            // Down to half, which may stay where it is; sometimes twice.
            size_t less = SMALLEST + (size - SMALLEST) / 2 + draw(state, (size - SMALLEST) / 2 + 1);
            blocks[i] = resize(blocks[i], less);
            if (blocks[i] && draw(state, 4) == 0) blocks[i] = resize(blocks[i], SMALLEST + (less - SMALLEST) / 2);
            CHECK(blocks[i] != NULL, "realloc is NULL");
        }
    }
    return blocks;
}

static void *work(void *argument) {
    uint64_t state = storm.seed + (uintptr_t)argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        void **blocks = make_batch(&state);
        atomic_fetch_add_explicit(&counts->other, BATCH, memory_order_relaxed);
        if (draw(&state, 3)) {
            frees_batch(blocks);
        } else {
            pthread_t thread;
            start(&thread, frees_batch, (uintptr_t)blocks);
            join(thread);
        }
    }
    return NULL;
}

// Half a million blocks of 128 bytes become blocks of 72 where they are, and are freed as such.
static void shrink_many(void) {
    enum { MANY = 50000 };
    static void *blocks[MANY];
    for (int pass = 0; pass < 10; pass++, beat()) {
        for (int i = 0; i < MANY; i++) {
            blocks[i] = stamp(malloc(128), 128);
            CHECK(blocks[i] != NULL, "malloc(128) is NULL");
            if (i % 2) blocks[i] = resize(blocks[i], 72);
        }
        for (int i = 0; i < MANY; i++) free_any(blocks[i], i % 2 ? 72 : 128);
    }
    atomic_fetch_add_explicit(&counts->other, 10 * MANY, memory_order_relaxed);
}

// The memory of the freed must go, however often sizes changed before: when asked, and by itself where nothing is to be kept.
static void sparse_phase(int by_itself) {
    static void *blocks[SPREAD];
    malloc_trim(0);
    size_t before = resident();
    for (int i = 0; i < SPREAD; i++) {
        blocks[i] = stamp(malloc(200), 200);
        CHECK(blocks[i] != NULL, "malloc(200) is NULL");
    }
    size_t full = resident();
    for (int i = 0; i < SPREAD; i++)
        if (i % 200) free_any(blocks[i], 200);
    if (!by_itself) malloc_trim(0);
    size_t sparse = resident();
    CHECK(full < before || sparse < before + (full - before) / 2 + 8 * MIB,
          "%zu KiB resident with one of 200 blocks left, %zu KiB with all, %zu KiB before", sparse / KIB, full / KIB, before / KIB);
    for (int i = 0; i < SPREAD; i += 200) free_any(blocks[i], 200);
}

int main(int count, char **arguments) {
    other_name = "sized frees";
    storm_begin(count, arguments);
    free_with_size = (void (*)(void *, size_t))dlsym(RTLD_DEFAULT, "free_sized");
    const char *set = getenv("HEAPWRIGHT");
    int by_itself = storm.stats && set && strstr(set, "keep=0");
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        usleep(700000);
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        beat();
        shrink_many();
        sparse_phase(by_itself);
        rest();
    }
    return storm_end();
}
