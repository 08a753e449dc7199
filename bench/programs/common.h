/* What every measuring program here shares: clocks, a fixed random sequence, memory that no malloc
 * sees, the process's own resident size, and one way of printing.
 *
 * A program prints lines of `value KEY NUMBER -`, which `heapwright bench` reads (the unit is in the key),
 * and nothing else; it verifies its own work and leaves by `broken` when something is wrong, so that a
 * figure never comes from a wrong result. */
#ifndef HEAPWRIGHT_BENCH_COMMON_H
#define HEAPWRIGHT_BENCH_COMMON_H

#define _GNU_SOURCE
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The compiler may assume nothing about `p` afterwards: the call that made it must happen. */
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

static inline uint64_t clock_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CPU time of the whole process, in nanoseconds. */
static inline uint64_t cpu_ns(void) { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

/* Time of day, in nanoseconds from some start. */
static inline uint64_t wall_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

/* Says what is wrong, without malloc, and ends the program with code 3. */
__attribute__((noreturn, unused)) static void broken(const char *what) {
    if (write(2, what, strlen(what)) < 0 || write(2, "\n", 1) < 0) _exit(4);
    _exit(3);
}

/* One line of output, without stdio (which would allocate a buffer). */
__attribute__((unused)) static void print(const char *key, uint64_t value) {
    char line[96] = "value ";
    size_t n = 6, digits = 0;
    char reversed[24];
    memcpy(line + n, key, strlen(key));
    n += strlen(key);
    line[n++] = ' ';
    do reversed[digits++] = (char)('0' + value % 10); while (value /= 10);
    while (digits) line[n++] = reversed[--digits];
    memcpy(line + n, " -\n", 3);
    n += 3;
    if (write(1, line, n) != (ssize_t)n) _exit(4);
}

/* A random sequence that is the same in every run (xorshift64*). */
typedef struct { uint64_t state; } Random;
#define RANDOM(seed) { 0x9e3779b97f4a7c15u * (2 * (seed) + 1) }

static inline uint64_t random_next(Random *r) {
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1du;
}

/* A number below `n`, from the high half (which is the better one). */
static inline uint32_t random_below(Random *r, uint32_t n) {
    return (uint32_t)(((random_next(r) >> 32) * n) >> 32);
}

/* A size in `low..=high`, every doubling equally likely: most objects are small, a few are large. */
static inline size_t random_size(Random *r, unsigned low_log2, unsigned high_log2) {
    unsigned log2 = low_log2 + random_below(r, high_log2 - low_log2);
    return ((size_t)1 << log2) + random_below(r, 1u << log2) + 1;
}

/* Memory from the kernel, so that a program's own tables are not part of what is measured. */
__attribute__((unused)) static void *table(size_t bytes) {
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (p == MAP_FAILED) broken("mmap of a table failed");
    return p;
}

/* One field of the process's memory map in KiB, exact: smaps_rollup walks the page tables, the counters
 * in `status` lag. `field` begins with a newline and ends with a colon. */
__attribute__((unused)) static uint64_t map_kib(const char *field) {
    char text[4096];
    int f = open("/proc/self/smaps_rollup", O_RDONLY | O_CLOEXEC);
    if (f < 0) broken("cannot open /proc/self/smaps_rollup");
    ssize_t n = read(f, text, sizeof text - 1);
    close(f);
    if (n <= 0) broken("cannot read /proc/self/smaps_rollup");
    text[n] = 0;
    const char *at = strstr(text, field);
    if (!at) broken("a field is missing in /proc/self/smaps_rollup");
    for (at += strlen(field); *at == ' '; at++) {}
    uint64_t kib = 0;
    for (; *at >= '0' && *at <= '9'; at++) kib = kib * 10 + (uint64_t)(*at - '0');
    return kib;
}

/* Resident size: the program's own pages and those of its files. */
static inline uint64_t rss_kib(void) { return map_kib("\nRss:"); }

/* The resident pages that belong to no file. */
static inline uint64_t anonymous_kib(void) { return map_kib("\nAnonymous:"); }

/* The `n`-th argument as a number, or `otherwise`. */
__attribute__((unused)) static uint64_t argument(int argc, char **argv, int n, uint64_t otherwise) {
    if (n >= argc) return otherwise;
    char *end;
    uint64_t value = strtoull(argv[n], &end, 10);
    if (*end || end == argv[n]) broken("an argument is not a number");
    return value;
}

/* malloc that must succeed. */
static inline void *must(void *p) {
    if (__builtin_expect(!p, 0)) broken("out of memory");
    return p;
}

#endif
