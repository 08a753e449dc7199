// What the programs share. Nothing of a C library: they run on bare machines too.
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
// Prints a line. Ends the program with a status. Of hosted.c, or of the machine that the program runs on.
void test_say(const char *line);
void test_end(int status);
#ifdef __cplusplus
}
#endif

#define CHECK_TEXT(line) #line
#define CHECK_LINE(line) CHECK_TEXT(line)
#define CHECK(condition)                                                            \
    do {                                                                            \
        if (!(condition)) {                                                         \
            test_say(__FILE__ ":" CHECK_LINE(__LINE__) ": not so: " #condition);    \
            test_end(1);                                                            \
        }                                                                           \
    } while (0)

#define KIB ((size_t)1 << 10)
#define WORD sizeof(void *)
#define GRAIN (2 * WORD)

// Memory of `size` bytes aligned to 64.
#define MEMORY(name, size)                                     \
    static union {                                             \
        unsigned char bytes[(size) + 64];                      \
        void *aligned;                                         \
    } name##_storage;                                          \
    unsigned char *name = (unsigned char *)(((uintptr_t)name##_storage.bytes + 63) & ~(uintptr_t)63)

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

static inline void set_all(void *block, size_t size, unsigned char value) {
    unsigned char *byte = (unsigned char *)block;
    for (size_t at = 0; at < size; at++) byte[at] = value;
}

static inline int aligned(const void *pointer, size_t alignment) { return ((uintptr_t)pointer & (alignment - 1)) == 0; }

static inline uint32_t random_next(uint32_t *state) {
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

static inline int same_text(const char *text, const char *other) {
    while (*text && *text == *other) text++, other++;
    return *text == *other;
}

static inline int ends_in(const char *text, const char *end) {
    for (; *text; text++)
        if (same_text(text, end)) return 1;
    return 0;
}

// The same value, about which the compiler knows nothing.
static inline size_t hide_size(size_t size) {
    volatile size_t hidden = size;
    return hidden;
}

static inline void *hide(void *pointer) {
    void *volatile hidden = pointer;
    return hidden;
}

#endif
