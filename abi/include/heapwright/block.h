/* heapwright/block.h: what tlsf.h, fit.h and buddy.h have in common. Include one of those.
 *
 * For C (C99 and later) and C++ (C++98 and later), hosted or freestanding: no C library, no errno, no operating system.
 * The library is libheapwright_block.a; on a machine without a C library it brings its own memcpy, memmove and memset.
 *
 * What holds for every function of the three headers:
 *
 * Memory: a heap lives in memory that the caller gives, and its handle points into it. Nothing has to be destroyed.
 *   Given memory is the heap's alone until it is removed. It may begin and end at any address; what is needed to align it
 *   is not used.
 * Units: bytes, unless an entry says otherwise.
 * Errors: a function that returns a pointer returns NULL, one that returns a size returns 0, one that returns an int returns
 *   one of the numbers below, 0 when all went well. Nothing has changed then. A heap that is NULL is such an error
 *   too, so what a failed create returned may be passed on.
 * Undefined: freeing a block twice, freeing what is no block, using a freed block, writing past the end. The library built
 *   with the feature "neighbours" or "canaries" finds the first two, and most of the last, at the next free of TLSF:
 *   see heapwright_block_on_misuse().
 * Thread-safety: none. One caller at a time for each heap; different heaps are independent. A function that the library
 *   calls back must not use the heap.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HEAPWRIGHT_BLOCK_H
#define HEAPWRIGHT_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus) && __cplusplus >= 201103L
#define HEAPWRIGHT_BLOCK_NOEXCEPT noexcept
#elif defined(__cplusplus)
#define HEAPWRIGHT_BLOCK_NOEXCEPT throw()
#elif defined(__GNUC__)
#define HEAPWRIGHT_BLOCK_NOEXCEPT __attribute__((__nothrow__))
#else
#define HEAPWRIGHT_BLOCK_NOEXCEPT
#endif

#if defined(__GNUC__)
#define HEAPWRIGHT_BLOCK_ATTRIBUTE(list) __attribute__(list)
#else
#define HEAPWRIGHT_BLOCK_ATTRIBUTE(list)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Why something was refused. */
enum heapwright_block_error {
    HEAPWRIGHT_BLOCK_OK = 0,
    HEAPWRIGHT_BLOCK_NULL = -1,      /* a pointer that must not be NULL is NULL */
    HEAPWRIGHT_BLOCK_WRAPS = -2,     /* the memory goes past the end of the address space */
    HEAPWRIGHT_BLOCK_TOO_SMALL = -3, /* the memory is too small to hold a block */
    HEAPWRIGHT_BLOCK_TOO_LARGE = -4, /* the memory is larger than the heap's control block can describe */
    HEAPWRIGHT_BLOCK_OVERLAPS = -5,  /* part of the memory is the heap's already */
    HEAPWRIGHT_BLOCK_FULL = -6,      /* the heap can record no further piece of memory */
    HEAPWRIGHT_BLOCK_UNKNOWN = -7,   /* no memory was added at this address */
    HEAPWRIGHT_BLOCK_IN_USE = -8,    /* a block in this memory is live */
    HEAPWRIGHT_BLOCK_BROKEN = -9,    /* an invariant of the heap is broken */
    HEAPWRIGHT_BLOCK_STEP = -10      /* the step is not a power of two */
};

/* The words above for `error`; of any other number, that it is none of them.
 * Units: a NUL-terminated string that is never freed.
 * Cost: O(1).
 * Errors: none, never NULL. */
const char *heapwright_block_error_text(int error) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__, __returns_nonnull__));

/* What a heap counts as it goes. Bytes include headers and padding, unless said otherwise. */
typedef struct heapwright_block_stats {
    size_t total;        /* bytes that blocks can be made of: in use and free */
    size_t used;         /* bytes in use */
    size_t peak;         /* the most bytes ever in use */
    size_t largest_free; /* a size that malloc will surely grant */
    size_t failures;     /* requests that were refused for want of memory */
} heapwright_block_stats;

/* What a check found broken. */
typedef struct heapwright_block_broken {
    const char *invariant; /* its words, not NUL-terminated: print them with "%.*s" */
    size_t invariant_len;  /* how many characters they are */
    uintptr_t at;          /* the address, index or count it was found at */
} heapwright_block_broken;

/* Is shown a block by the functions that walk: its address, the bytes that may be used of it, whether it is in use, and
 * what the caller of the walk passed. Returns 0 to go on; anything else ends the walk, which returns it. */
typedef int (*heapwright_block_visit)(void *block, size_t size, int used, void *user);

/* Names a function that is called with a line of text when a check of a library with "neighbours" or "canaries" finds a
 * misuse, such as "heapwright tlsf: 0x20000410: the block is free already". If it returns, the processor executes an instruction
 * that traps. NULL, and nothing said: it traps at once.
 * Units: the text is NUL-terminated and lives until the function returns.
 * Cost: O(1).
 * Errors: none.
 * Thread-safety: set it before the first heap is made. */
void heapwright_block_on_misuse(void (*handler)(const char *message)) HEAPWRIGHT_BLOCK_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_BLOCK_H */
