// The component OS's multi_thread_test in C: threads that each keep a table of blocks of random sizes, replacing one at
// random each step. Each block begins with its mark: its thread and its slot.
#include "work.h"

struct thread {
    pthread_t id;
    uint64_t number, steps, slots, largest, state;
};

// `counts`: all bits, or none where blocks hold no data.
static void verify(const uint64_t *block, uint64_t mark, uint64_t counts) {
    if (block && ((*block ^ mark) & counts)) wrong("a block lost its mark");
}

static void *replace(void *argument) {
    struct thread *t = argument;
    uint64_t **slots = own_table(t->slots, sizeof *slots), marks = t->number << 32;
    uint64_t counts = work_is_null() ? 0 : ~(uint64_t)0;
    if (!slots) wrong("no memory for the table");
    for (uint64_t i = 0; i < t->steps; i++) {
        uint64_t random = next_random(&t->state), at = below((uint32_t)random, t->slots);
        verify(slots[at], marks + at, counts);
        free(slots[at]);
        slots[at] = malloc(sizeof(uint64_t) + below(random >> 32, t->largest));
        if (slots[at]) *slots[at] = marks + at;
    }
    for (uint64_t i = 0; i < t->slots; i++) {
        verify(slots[i], marks + i, counts);
        free(slots[i]);
    }
    free_own_table(slots);
    return NULL;
}

// Runs it. What is refused is counted where it is refused.
void work_multi_thread(uint64_t threads, uint64_t steps, uint64_t slots, uint64_t largest, uint64_t seed) {
    struct thread *all = own_table(threads, sizeof *all);
    if (!all && threads) wrong("no memory for the threads");
    for (uint64_t i = 0; i < threads; i++) {
        all[i] = (struct thread){
            .number = i, .steps = steps, .slots = slots, .largest = largest, .state = seed * 977 + i + 1,
        };
        if (pthread_create(&all[i].id, NULL, replace, &all[i])) wrong("a thread does not start");
    }
    for (uint64_t i = 0; i < threads; i++) pthread_join(all[i].id, NULL);
    free_own_table(all);
}
