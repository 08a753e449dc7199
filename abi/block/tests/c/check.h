// What the programs share. Nothing of a C library: they run on bare machines too.
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "../../../tests/runner/bytes.h"

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

static inline void set_all(void *block, size_t size, unsigned char value) {
    unsigned char *byte = (unsigned char *)block;
    for (size_t at = 0; at < size; at++) byte[at] = value;
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

#endif
