// survival: threads end in any order; what they allocated stays valid and others free it, what others allocated they free
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "threads.h"

enum { THREADS = 12, EACH = 400, ROUNDS = 25 };

static char *_Atomic blocks[THREADS][EACH];

static size_t size_of(size_t at) { return at % 40 == 39 ? 100 * KIB + at : at % 10 == 9 ? 3000 + at : 1 + at % 500; }

static void *work(void *argument) {
    size_t me = (uintptr_t)argument & 0xff, round = (uintptr_t)argument >> 8;
    for (size_t i = 0; i < EACH; i++) {
        char *block = malloc(size_of(i));
        CHECK(block != NULL, "malloc(%zu) is NULL", size_of(i));
        fill(block, size_of(i), (unsigned)i);
        block = atomic_exchange(&blocks[(me + i) % THREADS][i], block);
        if (!block) continue;
        size_t at = first_difference(block, size_of(i), (unsigned)i);
        CHECK(at == size_of(i), "byte %zu of a block of %zu, allocated by a thread that may be gone, was overwritten", at, size_of(i));
        free(block);
    }
    if ((me * 7 + round) % 3 == 0) usleep((unsigned)((me * 31 + round * 17) % 900));
    return NULL;
}

int main(void) {
    alarm(55);
    for (size_t round = 0; round < ROUNDS; round++) {
        pthread_t threads[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            CHECK(pthread_create(&threads[i], NULL, work, (void *)(i | round << 8)) == 0, "pthread_create fails");
        for (size_t i = 0; i < THREADS; i++) pthread_join(threads[(i * 5 + round) % THREADS], NULL);
    }
    for (size_t i = 0; i < THREADS; i++)
        for (size_t j = 0; j < EACH; j++) {
            char *block = blocks[i][j];
            if (block) CHECK(first_difference(block, size_of(j), (unsigned)j) == size_of(j), "a block left over was overwritten");
            free(block);
        }
    return 0;
}
