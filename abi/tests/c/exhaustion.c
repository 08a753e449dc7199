// survival: threads that run out of memory again and again under `ulimit -v`: every refusal is NULL with ENOMEM, nothing is lost
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=check=1
// again: HEAPWRIGHT=safe=1
#include <sched.h>

#include "limited.h"
#include "threads.h"

enum { THREADS = 3, SLOTS = 4000, SECONDS = 3, MOST_SECONDS = 40 };

static atomic_ulong refusals;
static pthread_barrier_t all_started;

static int refused(void *block, const char *call, size_t size) {
    if (block) return 0;
    CHECK(errno == ENOMEM, "%s of %zu is NULL with errno %d", call, size, errno);
    atomic_fetch_add(&refusals, 1);
    return 1;
}

static void *work(void *argument) {
    static void *all[THREADS][SLOTS];
    static size_t sizes[THREADS][SLOTS];
    uintptr_t me = (uintptr_t)argument;
    uint64_t state = me + 1;
    pthread_barrier_wait(&all_started);
    double end = seconds_now() + trials(SECONDS);
    // On a busy machine memory is not full that soon.
    while (seconds_now() < end || (refusals == 0 && seconds_now() < end + MOST_SECONDS)) {
        size_t at = random_next(&state) % SLOTS, size = 1 + random_next(&state) % ((size_t)64 << random_next(&state) % 18);
        void **slot = &all[me][at];
        size_t *held = &sizes[me][at], part = *held < 200 ? *held : 200;
        if (*slot) CHECK(first_difference(*slot, part, (unsigned)at) == part, "a block of %zu was overwritten", *held);
        void *block;
        errno = 0;
        if (*slot && random_next(&state) % 3 == 0) {
            block = realloc(*slot, size);
            if (refused(block, "realloc", size)) continue;
            if (part > size) part = size;
            CHECK(first_difference(block, part, (unsigned)at) == part, "realloc to %zu lost contents", size);
        } else {
            free(*slot);
            *slot = NULL;
            block = random_next(&state) % 8 ? malloc(size) : aligned_alloc(4096, size);
            if (refused(block, "malloc", size)) {
                // Out of memory: give up a part of what this thread holds, and go on.
                for (size_t i = at % 3; i < SLOTS; i += 3) free(all[me][i]), all[me][i] = NULL;
                continue;
            }
        }
        *slot = block, *held = size;
        fill(block, size < 200 ? size : 200, (unsigned)at);
    }
    for (int i = 0; i < SLOTS; i++) free(all[me][i]);
    return NULL;
}

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 400 * MIB, count, arguments);
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_started, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0, "pthread_create fails");
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK(refusals > 0, "memory never ran out");
    void *large = malloc(4 * MIB);
    CHECK(large != NULL, "4 MiB are refused after all was freed");
    free(large);
    printf("%lu refusals\n", refusals);
    return 0;
}
