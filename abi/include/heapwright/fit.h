/* heapwright/fit.h: blocks of any size by first, next, best or worst fit, each exact, found in a tree.
 *
 *     static char memory[64 << 10];
 *     heapwright_fit *heap = heapwright_fit_create(memory, sizeof memory, HEAPWRIGHT_FIT_BEST);
 *     char *text = heapwright_fit_malloc(heap, 100);
 *     heapwright_fit_free(heap, text);
 *
 *     cc -I abi/include abi/block/examples/fit.c target/release/libheapwright_block.a
 *
 * Blocks are aligned to two pointers. A block costs one word more than it can hold. What holds for every function (memory,
 * errors, threads) is said in heapwright/block.h. "holes" below are the free blocks; what is said to be O(log holes) is so
 * on average, as the tree is balanced by chance and not by force: where a bound is needed, take heapwright/tlsf.h.
 *
 * A pool has no functions to change its length and no block can be had at an address: those are in heapwright/tlsf.h.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HEAPWRIGHT_FIT_H
#define HEAPWRIGHT_FIT_H

#include <heapwright/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A heap: it stands at the start of the memory that it was made in. Opaque. */
typedef struct heapwright_fit heapwright_fit;

/* Which hole a request gets, among those that are large enough. */
enum heapwright_fit_policy {
    HEAPWRIGHT_FIT_FIRST = 0, /* the lowest: the high end of the memory stays in one piece */
    HEAPWRIGHT_FIT_NEXT = 1,  /* the lowest behind the last block handed out, and round: spreads over the memory */
    HEAPWRIGHT_FIT_BEST = 2,  /* the smallest: the smallest remainders */
    HEAPWRIGHT_FIT_WORST = 3  /* the largest: the largest remainders */
};

/* Makes a heap at `memory`, with what it needs for itself first and the rest as its first pool.
 * Units: bytes; `policy` is one of enum heapwright_fit_policy.
 * Cost: O(1).
 * Errors: NULL when `memory` is NULL, too small for a block, larger than PTRDIFF_MAX, or goes past the end of the address
 *   space; when there is no such policy, or the library was built without it. */
heapwright_fit *heapwright_fit_create(void *memory, size_t bytes, int policy) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Adds a pool: memory to make blocks of. It is not joined to another that it touches; `memory` names it from now on.
 * Cost: O(pools + log holes).
 * Errors: NULL, WRAPS, TOO_SMALL, TOO_LARGE; OVERLAPS, also with the heap itself. */
int heapwright_fit_add_pool(heapwright_fit *heap, void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Takes a pool out of the heap; its memory is the caller's again.
 * Cost: O(pools + log holes).
 * Errors: UNKNOWN; IN_USE: a block in it is live. */
int heapwright_fit_remove_pool(heapwright_fit *heap, void *pool) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* The pool that heapwright_fit_create() made.
 * Cost: O(1).
 * Errors: NULL. */
void *heapwright_fit_get_pool(const heapwright_fit *heap) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Allocates `size` bytes; their contents are anything. Size 0 gives a block of its own.
 * Cost: O(log holes).
 * Errors: NULL when no hole is large enough, which the statistics count. */
void *heapwright_fit_malloc(heapwright_fit *heap, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2), __warn_unused_result__));

/* Allocates `count` times `size` bytes that are 0.
 * Cost: O(log holes + bytes).
 * Errors: as heapwright_fit_malloc(); a product above SIZE_MAX is refused. */
void *heapwright_fit_calloc(heapwright_fit *heap, size_t count, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2, 3), __warn_unused_result__));

/* Allocates `size` bytes at a multiple of `alignment`. `size` need not be a multiple of `alignment`.
 * Cost: O(log holes) for each hole that is large enough but cannot be aligned so.
 * Errors: NULL when `alignment` is not a power of two, or no hole fits. */
void *heapwright_fit_memalign(heapwright_fit *heap, size_t alignment, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(3), __warn_unused_result__));

/* Gives `block` `size` bytes: where it is, or elsewhere. As many bytes as both sizes have are kept. An alignment above two
 * pointers is not kept. `block` may be NULL: then as heapwright_fit_malloc(). Size 0 frees the block and returns NULL.
 * Cost: O(log holes); O(bytes kept) where it moves.
 * Errors: NULL; the block stays as it was. */
void *heapwright_fit_realloc(heapwright_fit *heap, void *block, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__alloc_size__(3), __warn_unused_result__));

/* heapwright_fit_realloc() whose result is at a multiple of `alignment`, whatever the block's was.
 * Cost: as heapwright_fit_realloc(); a block that is not aligned so moves.
 * Errors: as heapwright_fit_realloc(), and NULL when `alignment` is not a power of two, whatever the size. */
void *heapwright_fit_realloc_aligned(heapwright_fit *heap, void *block, size_t alignment, size_t size)
    HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__alloc_size__(4), __warn_unused_result__));

/* Frees a block of this heap. `block` may be NULL: then nothing happens.
 * Cost: O(1) to find the neighbours, O(log holes) for the hole's place.
 * Errors: none. */
void heapwright_fit_free(heapwright_fit *heap, void *block) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* How many bytes of a live block may be used: at least what was asked for. A compiler that saw what was asked for may warn
 * of using more.
 * Cost: O(1).
 * Errors: 0 when `heap` or `block` is NULL. */
size_t heapwright_fit_block_size(const heapwright_fit *heap, const void *block) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Frees every block. Pools stay.
 * Cost: O(pools).
 * Errors: none. */
void heapwright_fit_reset(heapwright_fit *heap) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* 1 when `address` lies in a pool, 0 otherwise. It need not be a block's.
 * Cost: O(pools).
 * Errors: none. */
int heapwright_fit_owns(const heapwright_fit *heap, const void *address) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Fills `*out`.
 * Cost: O(1); for best fit O(log holes).
 * Errors: NULL. */
int heapwright_fit_stats(const heapwright_fit *heap, heapwright_block_stats *out) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Checks every invariant: the pools' blocks, then the tree. `out` may be NULL.
 * Cost: O(blocks + holes * log holes), no recursion.
 * Errors: BROKEN, and `*out` says what; NULL when `heap` is. */
int heapwright_fit_check(const heapwright_fit *heap, heapwright_block_broken *out) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Shows every block, used and free, in address order, until `visit` returns something else than 0, which is returned then.
 * Cost: O(blocks).
 * Errors: NULL. */
int heapwright_fit_walk(const heapwright_fit *heap, heapwright_block_visit visit, void *user) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Bytes that the heap itself takes of the memory it is made in; a pool takes five words at most besides.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_fit_size(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_FIT_H */
