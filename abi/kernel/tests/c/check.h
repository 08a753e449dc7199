// What the programs share.
#ifndef CHECK_H
#define CHECK_H

#include <heapwright/kernel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                \
        }                                                                           \
    } while (0)

// What a misuse is about, as the line on standard error must name it.
static inline void *shown(void *it) {
    printf("%p\n", it);
    fflush(stdout);
    return it;
}

static inline unsigned long shown_handle(unsigned long handle) {
    printf("%#lx\n", handle);
    fflush(stdout);
    return handle;
}

// The same pointer, about which the compiler knows nothing.
static inline void *hide(void *pointer) {
    void *volatile hidden = pointer;
    return hidden;
}

static inline unsigned char pattern_at(size_t at, unsigned seed) { return (unsigned char)((at * 131 + (at >> 8) * 31 + seed) | 1); }

static inline void fill(void *block, size_t size, unsigned seed) {
    unsigned char *byte = (unsigned char *)block;
    for (size_t at = 0; at < size; at++) byte[at] = pattern_at(at, seed);
}

static inline int is_filled(const void *block, size_t size, unsigned seed) {
    const unsigned char *byte = (const unsigned char *)block;
    size_t at = 0;
    while (at < size && byte[at] == pattern_at(at, seed)) at++;
    return at == size;
}

static inline int is_all(const void *block, size_t size, unsigned char value) {
    const unsigned char *byte = (const unsigned char *)block;
    size_t at = 0;
    while (at < size && byte[at] == value) at++;
    return at == size;
}

static inline int aligned(const void *pointer, size_t alignment) { return ((uintptr_t)pointer & (alignment - 1)) == 0; }

static inline uint32_t random_next(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

// From here on the process may have `bytes` of memory for data more than it has; lifted by refuse_none().
static inline void refuse_above(size_t bytes) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    CHECK(file != NULL && fscanf(file, "%*u %*u %*u %*u %*u %lu", &pages) == 1);
    fclose(file);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_DATA, &limit) == 0);
    limit.rlim_cur = pages * 4096 + bytes;
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
}

static inline void refuse_none(void) {
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_DATA, &limit) == 0);
    limit.rlim_cur = limit.rlim_max;
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0);
}

// Kilobytes of memory that the process has.
static inline unsigned long resident_kib(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long all = 0, pages = 0;
    CHECK(file != NULL && fscanf(file, "%lu %lu", &all, &pages) == 2);
    fclose(file);
    return pages * 4;
}

#endif
