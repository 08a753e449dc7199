// What every program here shares: saying what differed, hiding values from the optimiser, filling and verifying blocks.
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../runner/trials.h"

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

// Exit status of a program that cannot run on this machine; it prints why.
enum { SKIPPED = 77 };

// Prints what differed and ends the process at once: no destructor runs on a heap that may be broken.
#define CHECK(condition, ...)                          \
    do {                                               \
        if (!(condition)) {                            \
            printf("%s:%d: ", __FILE__, __LINE__);     \
            printf(__VA_ARGS__);                       \
            putchar('\n');                             \
            fflush(stdout);                            \
            _exit(1);                                  \
        }                                              \
    } while (0)

#define SKIP(...)             \
    do {                      \
        printf(__VA_ARGS__);  \
        putchar('\n');        \
        fflush(stdout);       \
        _exit(SKIPPED);       \
    } while (0)

// How a child ends; an error of fork is one here.
static inline int end_of(pid_t child) {
    int status = -1;
    CHECK(child > 0, "fork fails with errno %d", errno);
    while (waitpid(child, &status, 0) != child) CHECK(errno == EINTR, "waitpid fails with errno %d", errno);
    return status;
}

static inline void ended_well(pid_t child, const char *who) {
    int status = end_of(child);
    CHECK(status == 0, "a %s ends with status %#x", who, status);
}

// The same value, about which the compiler knows nothing.
static inline void *hide(void *pointer) {
    __asm__ volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

static inline size_t hide_size(size_t size) {
    __asm__ volatile("" : "+r"(size));
    return size;
}

// Sizes that visit every size class and every kind of block: each byte up to 1 KiB, then about 6 per doubling, never on round sizes.
static inline size_t next_size(size_t size) { return size < KIB ? size + 1 : size + size / 8 - 1; }

// The pattern that fill() leaves, eight bytes at a time; none of them is zero.
static inline uint64_t pattern_word(size_t index, unsigned seed) {
    return (index * 0x9e3779b97f4a7c15u + seed * (uint64_t)0xbf58476d1ce4e5b9u) | 0x0101010101010101u;
}

static inline unsigned char pattern_at(size_t at, unsigned seed) { return (unsigned char)(pattern_word(at / 8, seed) >> at % 8 * 8); }

static inline void fill_from(void *block, size_t from, size_t to, unsigned seed) {
    unsigned char *byte = (unsigned char *)block;
    for (; from < to && from % 8; from++) byte[from] = pattern_at(from, seed);
    for (; to - from >= 8; from += 8) {
        uint64_t word = pattern_word(from / 8, seed);
        __builtin_memcpy(byte + from, &word, 8);
    }
    for (; from < to; from++) byte[from] = pattern_at(from, seed);
}

static inline void fill(void *block, size_t size, unsigned seed) { fill_from(block, 0, size, seed); }

static inline uint64_t word_at(const unsigned char *byte) {
    uint64_t word;
    __builtin_memcpy(&word, byte, 8);
    return word;
}

// The first byte that is not as fill() left it, or `size`.
static inline size_t first_difference(const void *block, size_t size, unsigned seed) {
    const unsigned char *byte = (const unsigned char *)block;
    size_t at = 0;
    while (size - at >= 8 && word_at(byte + at) == pattern_word(at / 8, seed)) at += 8;
    while (at < size && byte[at] == pattern_at(at, seed)) at++;
    return at;
}

// The first byte that is not zero, or `size`.
static inline size_t first_dirty(const void *block, size_t size) {
    const unsigned char *byte = (const unsigned char *)block;
    size_t at = 0;
    while (size - at >= 8 && word_at(byte + at) == 0) at += 8;
    while (at < size && byte[at] == 0) at++;
    return at;
}

static inline int aligned(const void *pointer, size_t alignment) { return ((uintptr_t)pointer & (alignment - 1)) == 0; }

static inline uint64_t random_next(uint64_t *state) {
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline double seconds_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

// The process's resident memory in bytes, read without allocating.
static inline size_t resident(void) {
    char text[128];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return 0;
    text[n] = 0;
    char *space = strchr(text, ' ');
    return space ? strtoul(space, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

// Whether the kernel makes huge pages that nobody has asked for.
static inline int unasked_huge_pages(void) {
    char setting[100] = "";
    int fd = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t n = read(fd, setting, sizeof setting - 1);
    close(fd);
    return n > 0 && strstr(setting, "[always]") != NULL;
}

#endif
