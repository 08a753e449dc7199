/* heapwright/tlsf.h: blocks of any size in constant time, whatever was allocated and freed before (TLSF).
 *
 *     static char memory[64 << 10];
 *     heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, sizeof memory);
 *     char *text = heapwright_tlsf_malloc(heap, 100);
 *     heapwright_tlsf_free(heap, text);
 *
 *     cc -I abi/include abi/block/examples/tlsf.c target/release/libheapwright_block.a
 *
 * Two forms: the heap over pools (first part), and the arena, which asks a function of the caller's to move the end of its
 * memory (second part). With HEAPWRIGHT_SHORT_NAMES defined before the first #include, the names that C libraries of
 * this kind usually have (tlsf_create, tlsf_malloc, ...) stand for ours (third part).
 *
 * Blocks are aligned to two pointers: heapwright_tlsf_align(). A block costs one word more than it can hold. What holds for
 * every function (memory, errors, threads) is said in heapwright/block.h.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HEAPWRIGHT_TLSF_H
#define HEAPWRIGHT_TLSF_H

#include <heapwright/block.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- A heap over pools ------------------------------------------------------------------------------------------ */

/* A heap: it stands at the start of the memory that it was made in. Opaque. */
typedef struct heapwright_tlsf heapwright_tlsf;

/* Makes a heap without memory for blocks, for pools of any size, in `bytes` bytes at `memory`.
 * Units: `bytes` is heapwright_tlsf_size() at least; what is more is not used.
 * Cost: O(1), clears the control block.
 * Errors: NULL when `memory` is NULL, too small, or goes past the end of the address space. */
heapwright_tlsf *heapwright_tlsf_create(void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Makes a heap at `memory`, with a control block as long as `bytes` bytes need, and the rest as its first pool. Pools that are
 * added later may have `bytes` bytes at most; where larger ones will come, use heapwright_tlsf_create().
 * Units: bytes; heapwright_tlsf_control_size(bytes) of them are not for blocks.
 * Cost: O(1), clears the control block.
 * Errors: NULL when `memory` is NULL, too small for a block, larger than heapwright_tlsf_block_size_max(), or goes past the end
 *   of the address space. */
heapwright_tlsf *heapwright_tlsf_create_with_pool(void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Adds a pool: memory to make blocks of. It is not joined to another that it touches; `memory` names it from now on.
 * Cost: O(pools).
 * Errors: NULL, WRAPS, TOO_SMALL, TOO_LARGE; OVERLAPS, also with the control block. */
int heapwright_tlsf_add_pool(heapwright_tlsf *heap, void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Takes a pool out of the heap; its memory is the caller's again.
 * Cost: O(pools).
 * Errors: UNKNOWN; IN_USE: a block in it is live. */
int heapwright_tlsf_remove_pool(heapwright_tlsf *heap, void *pool) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* The pool that heapwright_tlsf_create_with_pool() made: where the control block ends.
 * Cost: O(1).
 * Errors: NULL. */
void *heapwright_tlsf_get_pool(const heapwright_tlsf *heap) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* The bytes of a pool, as they are now.
 * Cost: O(pools).
 * Errors: 0 when there is no such pool. */
size_t heapwright_tlsf_pool_size(heapwright_tlsf *heap, void *pool) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Makes a pool longer, to `bytes` bytes. A free block at its end grows.
 * Cost: O(pools).
 * Errors: UNKNOWN; TOO_SMALL when it grows by less than a block; TOO_LARGE, WRAPS, OVERLAPS. */
int heapwright_tlsf_extend_pool(heapwright_tlsf *heap, void *pool, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Adds memory as part of the pool that ends where it begins, if there is one and the control block can describe the two as
 * one; otherwise as a pool of its own.
 * Cost: O(pools).
 * Errors: as heapwright_tlsf_add_pool(); TOO_SMALL when a pool would grow by less than a block. */
int heapwright_tlsf_append_pool(heapwright_tlsf *heap, void *memory, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Makes a pool shorter, to `bytes` bytes or to as few as its blocks in use allow, and says to how many. What is behind
 * them is the caller's again.
 * Cost: O(pools).
 * Errors: 0 when there is no such pool. */
size_t heapwright_tlsf_truncate_pool(heapwright_tlsf *heap, void *pool, size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Allocates `size` bytes; their contents are anything. Size 0 gives a block of its own.
 * Cost: O(1), no loop.
 * Errors: NULL when no block is large enough, which the statistics count. */
void *heapwright_tlsf_malloc(heapwright_tlsf *heap, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2), __warn_unused_result__));

/* Allocates `count` times `size` bytes that are 0.
 * Cost: O(bytes).
 * Errors: as heapwright_tlsf_malloc(); a product above SIZE_MAX is refused. */
void *heapwright_tlsf_calloc(heapwright_tlsf *heap, size_t count, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2, 3), __warn_unused_result__));

/* Allocates `size` bytes at a multiple of `alignment`, and never at less than heapwright_tlsf_align(). `size` need not be a
 * multiple of `alignment`.
 * Cost: O(1).
 * Errors: NULL when `alignment` is not a power of two, or no block is large enough. */
void *heapwright_tlsf_memalign(heapwright_tlsf *heap, size_t alignment, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(3), __warn_unused_result__));

/* Allocates `size` bytes that begin at `address`, if the memory there is free: for what a loader or a device has fixed.
 * Cost: O(blocks of the pool).
 * Errors: NULL when `address` is not a multiple of heapwright_tlsf_align() or in no pool, when any byte is in use, or
 *   when the free memory in front of it is too small to be a block. */
void *heapwright_tlsf_malloc_at(heapwright_tlsf *heap, void *address, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Gives `block` `size` bytes: where it is, or further down if free memory is in front of it, or elsewhere. As many bytes as both
 * sizes have are kept. An alignment above heapwright_tlsf_align() is not kept. `block` may be NULL: then as
 * heapwright_tlsf_malloc(). Size 0 frees the block and returns NULL.
 * Cost: O(1) in place; otherwise O(bytes kept).
 * Errors: NULL; the block stays as it was. */
void *heapwright_tlsf_realloc(heapwright_tlsf *heap, void *block, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__alloc_size__(3), __warn_unused_result__));

/* heapwright_tlsf_realloc() whose result is at a multiple of `alignment`, whatever the block's was.
 * Cost: as heapwright_tlsf_realloc(); a block that is not aligned so moves.
 * Errors: as heapwright_tlsf_realloc(), and NULL when `alignment` is not a power of two, whatever the size. */
void *heapwright_tlsf_realloc_aligned(heapwright_tlsf *heap, void *block, size_t alignment, size_t size)
    HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__alloc_size__(4), __warn_unused_result__));

/* Frees a block of this heap. `block` may be NULL: then nothing happens.
 * Cost: O(1), no loop; O(pools) with "neighbours" or "canaries".
 * Errors: none. */
void heapwright_tlsf_free(heapwright_tlsf *heap, void *block) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* How many bytes of a live block may be used: at least what was asked for. A compiler that saw what was asked for may warn
 * of using more.
 * Cost: O(1).
 * Errors: 0 when `block` is NULL. */
size_t heapwright_tlsf_block_size(const void *block) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Frees every block. Pools stay.
 * Cost: O(bins and pools).
 * Errors: none. */
void heapwright_tlsf_reset(heapwright_tlsf *heap) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* 1 when `address` lies in a pool, 0 otherwise. It need not be a block's.
 * Cost: O(pools).
 * Errors: none. */
int heapwright_tlsf_owns(const heapwright_tlsf *heap, const void *address) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Fills `*out`.
 * Cost: O(1).
 * Errors: NULL. */
int heapwright_tlsf_stats(const heapwright_tlsf *heap, heapwright_block_stats *out) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Checks every invariant: the pools' blocks, the bins' lists, the bitmap. `out` may be NULL. With "canaries" a header that was
 * overwritten goes to the function of heapwright_block_on_misuse() instead.
 * Cost: O(blocks), no recursion.
 * Errors: BROKEN, and `*out` says what; NULL when `heap` is. */
int heapwright_tlsf_check(const heapwright_tlsf *heap, heapwright_block_broken *out) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* heapwright_tlsf_check(), and `pool` has to be one of the heap's. The free blocks of all pools are in the same lists, so
 * the others are looked at as well.
 * Cost: O(blocks).
 * Errors: UNKNOWN, BROKEN, NULL. */
int heapwright_tlsf_check_pool(heapwright_tlsf *heap, void *pool, heapwright_block_broken *out) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));

/* Shows every block, used and free, in address order within each pool, until `visit` returns something else than 0, which is
 * returned then.
 * Cost: O(blocks).
 * Errors: NULL. */
int heapwright_tlsf_walk(const heapwright_tlsf *heap, heapwright_block_visit visit, void *user) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* heapwright_tlsf_walk() of one pool.
 * Cost: O(blocks of all pools).
 * Errors: UNKNOWN, NULL. */
int heapwright_tlsf_walk_pool(heapwright_tlsf *heap, void *pool, heapwright_block_visit visit, void *user)
    HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Bytes that heapwright_tlsf_create() needs, wherever the memory begins.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_size(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* Bytes of `bytes` that heapwright_tlsf_create_with_pool() takes for the heap itself, in aligned memory.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_control_size(size_t bytes) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* Bytes of a pool that no block can be made of, in aligned memory.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_pool_overhead(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* Bytes that a block takes besides those that may be used of it.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_alloc_overhead(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* What every block's address is a multiple of, and the bytes in a block with its overhead: two pointers.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_align(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* The smallest and the largest size that a block can have.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_block_size_min(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));
size_t heapwright_tlsf_block_size_max(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* Bytes for heapwright_tlsf_create_with_pool() that are always enough, whatever the order of the calls, for a program that
 * never has more than `max_live` bytes in use, in requests of `min_request` to `max_request` bytes, none of them of
 * heapwright_tlsf_memalign(). While heapwright_tlsf_realloc() moves a block, both are in use. A library with "compact" or
 * "canaries" needs two pointers' bytes more for each of `max_live / min_request` blocks. The proof is in
 * docs/blocks.md.
 * Cost: O(1).
 * Errors: 0 when the three contradict each other; SIZE_MAX when it is more than the machine has, as it is when `min_request`
 * is 0: of blocks of no bytes any number may be in use. */
size_t heapwright_tlsf_required_heap(size_t max_live, size_t max_request, size_t min_request) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

/* ---- The arena: memory whose end is moved ----------------------------------------------------------------------- */

/* Words of an arena's storage. */
#if UINTPTR_MAX > 0xffffffffu
#define HEAPWRIGHT_TLSF_ARENA_WORDS 280
#else
#define HEAPWRIGHT_TLSF_ARENA_WORDS 184
#endif

/* Storage for an arena, in a variable of the caller's. Opaque; it must not be moved while it is used. */
typedef struct heapwright_tlsf_arena {
    void *opaque[HEAPWRIGHT_TLSF_ARENA_WORDS];
} heapwright_tlsf_arena;

/* Moves the end of the arena's memory to `bytes` bytes after its base, up or down, and returns 0; or moves nothing and returns
 * something else. `bytes` is a multiple of the step. When it returned 0, all `bytes` bytes are the arena's alone, and what
 * stood in those that it had before is kept. Where it refuses to move down, the memory stays the arena's, which uses it
 * again before it asks for more. */
typedef int (*heapwright_tlsf_resize)(void *context, size_t bytes);

/* Makes an arena without memory: the first request moves the end up. `step` is by how much at least, a power of two; more than two
 * free steps at the end are given back. `context` is what `resize` is called with.
 * Cost: O(1), clears the storage.
 * Errors: NULL when `arena`, `base` or `resize` is; STEP. */
int heapwright_tlsf_arena_init(heapwright_tlsf_arena *arena, void *base, size_t step, heapwright_tlsf_resize resize,
                               void *context) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* heapwright_tlsf_malloc() in an arena.
 * Cost: O(1), and a call of `resize` when no block is large enough.
 * Errors: NULL when none is large enough and `resize` refused. */
void *heapwright_tlsf_arena_malloc(heapwright_tlsf_arena *arena, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2), __warn_unused_result__));

/* heapwright_tlsf_calloc() in an arena. Cost and errors: as heapwright_tlsf_arena_malloc(), and O(bytes). */
void *heapwright_tlsf_arena_calloc(heapwright_tlsf_arena *arena, size_t count, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(2, 3), __warn_unused_result__));

/* heapwright_tlsf_memalign() in an arena. Cost and errors: as heapwright_tlsf_arena_malloc(), and NULL when `alignment` is not a
 * power of two. */
void *heapwright_tlsf_arena_memalign(heapwright_tlsf_arena *arena, size_t alignment, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__malloc__, __alloc_size__(3), __warn_unused_result__));

/* heapwright_tlsf_realloc() in an arena. Cost and errors: as there, and as heapwright_tlsf_arena_malloc(). */
void *heapwright_tlsf_arena_realloc(heapwright_tlsf_arena *arena, void *block, size_t size) HEAPWRIGHT_BLOCK_NOEXCEPT
    HEAPWRIGHT_BLOCK_ATTRIBUTE((__alloc_size__(3), __warn_unused_result__));

/* heapwright_tlsf_free() in an arena. heapwright_tlsf_block_size() is for its blocks as well.
 * Cost: O(1), and a call of `resize` when more than two steps at the end are free.
 * Errors: none. */
void heapwright_tlsf_arena_free(heapwright_tlsf_arena *arena, void *block) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Gives back what is free at the end but for one step, and returns how many bytes that were.
 * Cost: O(1), and a call of `resize`.
 * Errors: 0 when there is nothing to give back, or `resize` refused. */
size_t heapwright_tlsf_arena_shrink(heapwright_tlsf_arena *arena) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* Bytes of memory that the arena has: where the end is.
 * Cost: O(1).
 * Errors: 0 when `arena` is NULL. */
size_t heapwright_tlsf_arena_bytes(const heapwright_tlsf_arena *arena) HEAPWRIGHT_BLOCK_NOEXCEPT;

/* heapwright_tlsf_stats(), heapwright_tlsf_check() and heapwright_tlsf_walk() of an arena. Cost and errors: as there. */
int heapwright_tlsf_arena_stats(const heapwright_tlsf_arena *arena, heapwright_block_stats *out) HEAPWRIGHT_BLOCK_NOEXCEPT;
int heapwright_tlsf_arena_check(const heapwright_tlsf_arena *arena, heapwright_block_broken *out)
    HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__warn_unused_result__));
int heapwright_tlsf_arena_walk(const heapwright_tlsf_arena *arena, heapwright_block_visit visit, void *user)
    HEAPWRIGHT_BLOCK_NOEXCEPT;

/* The bytes of an arena's storage that the library uses: sizeof(heapwright_tlsf_arena) at most.
 * Cost: O(1).
 * Errors: none. */
size_t heapwright_tlsf_arena_size(void) HEAPWRIGHT_BLOCK_NOEXCEPT HEAPWRIGHT_BLOCK_ATTRIBUTE((__const__));

#ifdef __cplusplus
}
#endif

/* ---- Short names, where they are asked for ---------------------------------------------------------------------- */

#ifdef HEAPWRIGHT_SHORT_NAMES

/* The names that C libraries of this kind usually have, with their usual arguments and results. What differs:
 * tlsf_malloc(t, 0) gives a block; tlsf_add_pool refuses what overlaps, and tlsf_remove_pool what is in use, where others go on;
 * tlsf_walk_pool and tlsf_check_pool are missing, as a pool alone does not lead to its heap: take heapwright_tlsf_walk_pool and
 * heapwright_tlsf_check_pool. */
typedef void *tlsf_t;
typedef void *pool_t;

static inline tlsf_t tlsf_create(void *memory) { return heapwright_tlsf_create(memory, heapwright_tlsf_size()); }
static inline tlsf_t tlsf_create_with_pool(void *memory, size_t bytes) { return heapwright_tlsf_create_with_pool(memory, bytes); }
static inline void tlsf_destroy(tlsf_t tlsf) { (void)tlsf; }
static inline pool_t tlsf_get_pool(tlsf_t tlsf) { return heapwright_tlsf_get_pool((heapwright_tlsf *)tlsf); }
static inline pool_t tlsf_add_pool(tlsf_t tlsf, void *memory, size_t bytes) {
    return heapwright_tlsf_add_pool((heapwright_tlsf *)tlsf, memory, bytes) == HEAPWRIGHT_BLOCK_OK ? memory : NULL;
}
static inline void tlsf_remove_pool(tlsf_t tlsf, pool_t pool) { (void)heapwright_tlsf_remove_pool((heapwright_tlsf *)tlsf, pool); }
static inline void *tlsf_malloc(tlsf_t tlsf, size_t size) { return heapwright_tlsf_malloc((heapwright_tlsf *)tlsf, size); }
static inline void *tlsf_memalign(tlsf_t tlsf, size_t alignment, size_t size) {
    return heapwright_tlsf_memalign((heapwright_tlsf *)tlsf, alignment, size);
}
static inline void *tlsf_realloc(tlsf_t tlsf, void *block, size_t size) {
    return heapwright_tlsf_realloc((heapwright_tlsf *)tlsf, block, size);
}
static inline void tlsf_free(tlsf_t tlsf, void *block) { heapwright_tlsf_free((heapwright_tlsf *)tlsf, block); }
static inline size_t tlsf_block_size(void *block) { return heapwright_tlsf_block_size(block); }
static inline int tlsf_check(tlsf_t tlsf) { return heapwright_tlsf_check((heapwright_tlsf *)tlsf, NULL); }
static inline size_t tlsf_size(void) { return heapwright_tlsf_size(); }
static inline size_t tlsf_align_size(void) { return heapwright_tlsf_align(); }
static inline size_t tlsf_block_size_min(void) { return heapwright_tlsf_block_size_min(); }
static inline size_t tlsf_block_size_max(void) { return heapwright_tlsf_block_size_max(); }
static inline size_t tlsf_pool_overhead(void) { return heapwright_tlsf_pool_overhead(); }
static inline size_t tlsf_alloc_overhead(void) { return heapwright_tlsf_alloc_overhead(); }

#endif /* HEAPWRIGHT_SHORT_NAMES */

#endif /* HEAPWRIGHT_TLSF_H */
