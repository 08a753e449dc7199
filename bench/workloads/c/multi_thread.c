// The component OS's multi_thread_test in C: threads that each keep a table of blocks of random sizes, replacing one at random
// each step.
#include "work.h"

struct thread {
    pthread_t id;
    uint64_t steps, slots, largest, state, refused;
};

static void *replace(void *argument) {
    struct thread *t = argument;
    uint64_t **slots = own_table(t->slots, sizeof *slots);
    bool is_null = work_is_null();
    if (!slots) wrong("no memory for the table");
    for (uint64_t i = 0; i < t->steps; i++) {
        uint64_t random = next_random(&t->state), at = below((uint32_t)random, t->slots);
        if (slots[at] && *slots[at] != at && !is_null) wrong("a block lost its mark");
        free(slots[at]);
        slots[at] = malloc(8 + below(random >> 32, t->largest));
        if (slots[at]) *slots[at] = at;
        else t->refused++;
    }
    for (uint64_t i = 0; i < t->slots; i++) free(slots[i]);
    free_own_table(slots);
    return NULL;
}

// Runs it; the number of blocks that were refused.
uint64_t work_multi_thread(uint64_t threads, uint64_t steps, uint64_t slots, uint64_t largest, uint64_t seed) {
    struct thread *all = own_table(threads, sizeof *all);
    uint64_t refused = 0;
    if (!all) wrong("no memory for the threads");
    for (uint64_t i = 0; i < threads; i++) {
        all[i] = (struct thread){ .steps = steps, .slots = slots, .largest = largest, .state = seed * 977 + i + 1 };
        if (pthread_create(&all[i].id, NULL, replace, &all[i])) wrong("a thread does not start");
    }
    for (uint64_t i = 0; i < threads; i++) {
        pthread_join(all[i].id, NULL);
        refused += all[i].refused;
    }
    free_own_table(all);
    return refused;
}
