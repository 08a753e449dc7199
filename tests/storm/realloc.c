// Blocks of 0.6 to 64 MiB grow and shrink in three threads, some aligned, some from calloc, which must be zero wherever the memory
// was before. The number of mappings stays bounded while they live, and comes back when they are freed.
#include "storm.h"

enum { WORKERS = 3, SLOTS = 30, MOST_MAPPINGS = 3000 };

// All threads together; beyond it, blocks are freed.
#define BUDGET ((long)(500 * MIB))

static atomic_long held;

static void drop(void **slot) {
    if (!*slot) return;
    atomic_fetch_sub(&held, (long)*(size_t *)*slot);
    give_back(*slot);
    *slot = NULL;
}

static size_t large_size(uint64_t *state) {
    uint64_t kind = draw(state, 20);
    size_t most = kind == 0 ? 64 * MIB : kind < 4 ? 8 * MIB : 2 * MIB;
    return 600 * KIB + draw(state, most - 600 * KIB);
}

static void one_change(uint64_t *state, void **slot) {
    size_t size = large_size(state);
    if (!*slot) {
        switch (draw(state, 6)) {
        case 0: {
            size_t zeroed = SMALLEST + draw(state, 4 * MIB);
            *slot = calloc(zeroed, 1);
            if (*slot) must_be_zero(*slot, zeroed);
            size = zeroed;
            break;
        }
        case 1: {
            size_t alignment = (size_t)64 << draw(state, 16);
            *slot = aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
            CHECK(aligned(*slot, alignment), "aligned_alloc(%zu) gives %p", alignment, *slot);
            break;
        }
        default: *slot = malloc(size);
        }
        CHECK(*slot != NULL, "an allocation of %zu is NULL with errno %d", size, errno);
        stamp(*slot, size);
        atomic_fetch_add_explicit(&counts->bytes, (long)size, memory_order_relaxed);
        atomic_fetch_add(&held, (long)size);
        return;
    }
    size_t before = *(size_t *)*slot;
    if (atomic_load(&held) > BUDGET || before > 64 * MIB) {
        drop(slot);
        return;
    }
    switch (draw(state, 4)) {
    case 0: drop(slot); return;
    case 1: size = SMALLEST + draw(state, before); break;
    default: size = before + draw(state, before < MIB ? 400 * KIB : before / 2);
    }
    *slot = resize(*slot, size);
    CHECK(*slot != NULL, "realloc of %zu to %zu is NULL with errno %d", before, size, errno);
    atomic_fetch_add(&held, (long)size - (long)before);
}

static void *work(void *argument) {
    uint64_t state = storm.seed + (uintptr_t)argument;
    void *slots[SLOTS] = {0};
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        one_change(&state, &slots[draw(&state, SLOTS)]);
        atomic_fetch_add_explicit(&counts->other, 1, memory_order_relaxed);
    }
    for (int i = 0; i < SLOTS; i++) drop(&slots[i]);
    return NULL;
}

int main(int count, char **arguments) {
    other_name = "changes";
    storm_begin(count, arguments);
    for (uint64_t round = 0; !over(); round++) {
        pthread_t threads[WORKERS];
        atomic_store(&stop, 0);
        for (uint64_t i = 0; i < WORKERS; i++) start(&threads[i], work, round * WORKERS + i);
        for (int i = 0; i < 8; i++) {
            usleep(100000);
            int maps = lines_of("/proc/self/maps");
            CHECK(maps < MOST_MAPPINGS, "%d mappings while at most %d blocks live", maps, WORKERS * SLOTS);
        }
        atomic_store(&stop, 1);
        for (int i = 0; i < WORKERS; i++) join(threads[i]);
        CHECK(atomic_load(&held) == 0, "the storm's own book-keeping is off by %ld", atomic_load(&held));
        rest();
    }
    return storm_end();
}
