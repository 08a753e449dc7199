/* heapwright/buddy.h: blocks of powers of two without headers (the buddy system).
 *
 *     static char memory[64 << 10];
 *     heapwright_buddy *heap = heapwright_buddy_create(memory, sizeof memory);
 *     char *text = heapwright_buddy_malloc(heap, 100);
 *     heapwright_buddy_free(heap, text, 100);
 *
 *     cc -I abi/include abi/block/examples/buddy.c target/release/libheapwright_block.a
 *
 * A block of 2^k bytes is at a multiple of 2^k, at least of two pointers; nothing is written into it or next to it. So the
 * heap does not know how large a block is: who frees says the size again, and the alignment where one was asked for. What
 * holds for every function (memory, errors, threads) is said in heapwright/block.h; a wrong size is undefined.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HEAPWRIGHT_BUDDY_H
#define HEAPWRIGHT_BUDDY_H

#include <heapwright/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A heap: it stands at the start of the memory that it was made in. Opaque. */
typedef struct heapwright_buddy heapwright_buddy;

/* Makes a heap at `memory`, with what it needs for itself first and the rest as its first pool.
 * Cost: O(bytes / 1 KiB): two bits for each two words are cleared.
 * Errors: NULL when `memory` is NULL, too small for a block, larger than PTRDIFF_MAX, or goes past the end of the address
 *   space. */
heapwright_buddy *heapwright_buddy_create(void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Adds a pool: memory to make blocks of. `memory` names it from now on.
 * Cost: O(pools + bytes / 1 KiB).
 * Errors: NULL, WRAPS, TOO_SMALL, TOO_LARGE; OVERLAPS, also with the heap itself. */
int heapwright_buddy_add_pool(heapwright_buddy *heap, void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Takes a pool out of the heap; its memory is the caller's again.
 * Cost: O(pools + bytes / 1 KiB).
 * Errors: UNKNOWN; IN_USE: a block in it is live. */
int heapwright_buddy_remove_pool(heapwright_buddy *heap, void *pool) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* The pool that heapwright_buddy_create() made.
 * Cost: O(1).
 * Errors: NULL. */
void *heapwright_buddy_get_pool(const heapwright_buddy *heap) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Allocates `size` bytes; their contents are anything. Size 0 gives a block of its own.
 * Cost: O(log(memory / smallest block)), whatever the number of holes.
 * Errors: NULL when no block is large enough, which the statistics count. */
void *heapwright_buddy_malloc(heapwright_buddy *heap, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2), __warn_unused_result__));

/* Allocates `count` times `size` bytes that are 0. It is freed with the size count * size.
 * Cost: as heapwright_buddy_malloc(), and O(bytes).
 * Errors: as heapwright_buddy_malloc(); a product above SIZE_MAX is refused. */
void *heapwright_buddy_calloc(heapwright_buddy *heap, size_t count, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2, 3), __warn_unused_result__));

/* Allocates `size` bytes at a multiple of `alignment`: a block of the larger of the two. It is freed with
 * heapwright_buddy_free_aligned().
 * Cost: as heapwright_buddy_malloc().
 * Errors: NULL when `alignment` is not a power of two, or no block is large enough. */
void *heapwright_buddy_memalign(heapwright_buddy *heap, size_t alignment, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(3), __warn_unused_result__));

/* Gives a block of `old_size` bytes that was allocated at `alignment` (1 for heapwright_buddy_malloc()) `size` bytes: where it is
 * when it shrinks, when the power of two stays, or when what follows it is free; elsewhere otherwise. As many bytes as
 * both sizes have are kept. `block` may be NULL: then as heapwright_buddy_memalign(). Size 0 frees the block and returns
 * NULL.
 * Cost: as heapwright_buddy_malloc(); O(old_size) where it moves.
 * Errors: NULL; the block stays as it was, of `old_size`. */
void *heapwright_buddy_realloc(heapwright_buddy *heap, void *block, size_t alignment, size_t old_size, size_t size)
    HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__alloc_size__(5), __warn_unused_result__));

/* Frees a block of this heap that has `size` bytes: what was asked for, or any other size with the same
 * heapwright_buddy_block_size(). `block` may be NULL: then nothing happens.
 * Cost: O(log(memory / smallest block)), whatever the number of holes.
 * Errors: none. */
void heapwright_buddy_free(heapwright_buddy *heap, void *block, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* heapwright_buddy_free() of a block of heapwright_buddy_memalign(). */
void heapwright_buddy_free_aligned(heapwright_buddy *heap, void *block, size_t alignment, size_t size)
    HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Bytes of the block that a request gets, all of which may be used.
 * Cost: O(1).
 * Errors: 0 when `alignment` is not a power of two, or `size` is above PTRDIFF_MAX. */
size_t heapwright_buddy_block_size(size_t alignment, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* Frees every block. Pools stay.
 * Cost: O(pools + their bytes / 1 KiB).
 * Errors: none. */
void heapwright_buddy_reset(heapwright_buddy *heap) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* 1 when `address` lies in a pool, 0 otherwise. It need not be a block's.
 * Cost: O(pools).
 * Errors: none. */
int heapwright_buddy_owns(const heapwright_buddy *heap, const void *address) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Fills `*out`. Blocks have no headers, so `largest_free` is a block's size.
 * Cost: O(1).
 * Errors: NULL. */
int heapwright_buddy_stats(const heapwright_buddy *heap, heapwright_block_stats *out) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Checks every invariant: the state, then the lists. `out` may be NULL.
 * Cost: O(bytes / 1 KiB + holes), no recursion.
 * Errors: BROKEN, and `*out` says what; NULL when `heap` is. */
int heapwright_buddy_check(const heapwright_buddy *heap, heapwright_block_broken *out) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Shows all memory in address order, free blocks one by one; blocks in use that touch are one piece, as only their users know
 * what they were cut into. Until `visit` returns something else than 0, which is returned then.
 * Cost: O(bytes / 1 KiB + pieces + pools^2).
 * Errors: NULL. */
int heapwright_buddy_walk(const heapwright_buddy *heap, heapwright_block_visit visit, void *user)
    HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Bytes that the heap itself takes of the memory it is made in; a pool takes five words and two bits for each two words of it
 * besides.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_buddy_size(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_BUDDY_H */
