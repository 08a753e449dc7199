// What the programs share.
#ifndef CHECK_H
#define CHECK_H

#include <heapwright/kernel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../../../tests/runner/bytes.h"
#include "../../../tests/runner/trials.h"

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
