// What the programs of abi/block and abi/kernel do with bytes. Nothing of a C library.
#ifndef BYTES_H
#define BYTES_H

#include <stddef.h>
#include <stdint.h>

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

#endif
