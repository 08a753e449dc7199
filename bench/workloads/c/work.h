// What the workloads in C share: the headers, and malloc by the names that `build.rs` gives it.
#ifndef WORK_H
#define WORK_H

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A workload's own tables, zeroed: the null allocator's blocks hold no data.
static inline void *own_table(size_t count, size_t size) { return calloc(count, size); }
static inline void free_own_table(void *table) { free(table); }

// Whether the allocator is the null one, so that data means nothing.
bool work_is_null(void);

void *WORK_MALLOC(size_t size);
void WORK_FREE(void *block);
void *WORK_CALLOC(size_t count, size_t size);
void *WORK_REALLOC(void *block, size_t size);
void *WORK_ALIGNED_ALLOC(size_t align, size_t size);

#define malloc WORK_MALLOC
#define free WORK_FREE
#define calloc WORK_CALLOC
#define realloc WORK_REALLOC
#define aligned_alloc WORK_ALIGNED_ALLOC

// Ends the program: what it computed, or what it found in its memory, is wrong.
static inline void wrong(const char *what) {
    fprintf(stderr, "wrong: %s\n", what);
    exit(1);
}

// The next number of a xorshift sequence; `state` is not 0.
static inline uint64_t next_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// A number below `bound` (less than 2^32) from 32 random bits, without a division.
static inline uint64_t below(uint32_t random, uint64_t bound) {
    return random * bound >> 32;
}

#endif
