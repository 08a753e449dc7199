/* heapwright.h: what <stdlib.h> and <malloc.h> lack, and what heapwright adds.
 *
 * For C (C89 and later) and C++ (C++98 and later), GCC and Clang. The functions of the C library that heapwright
 * replaces (malloc, calloc, realloc, free, aligned_alloc, ...) keep the declarations of <stdlib.h> and <malloc.h> and
 * are not repeated here.
 *
 * Every entry says, in this order: what it does, units, cost, errors, thread-safety.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HEAPWRIGHT_H
#define HEAPWRIGHT_H

#include <stddef.h>

#if defined(__cplusplus) && __cplusplus >= 201103L
#define HEAPWRIGHT_NOEXCEPT noexcept
#elif defined(__cplusplus)
#define HEAPWRIGHT_NOEXCEPT throw()
#elif defined(__GNUC__)
#define HEAPWRIGHT_NOEXCEPT __attribute__((__nothrow__, __leaf__))
#else
#define HEAPWRIGHT_NOEXCEPT
#endif

#if defined(__GNUC__)
#define HEAPWRIGHT_ATTRIBUTE(list) __attribute__(list)
#else
#define HEAPWRIGHT_ATTRIBUTE(list)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Functions of the standards that an older C library does not declare ------------------------------------- */

/* Gives back `ptr`, a block that malloc, calloc, realloc or reallocarray returned for `size` (C23 7.24.3.4).
 * Units: `size` in bytes, exactly as it was asked for (for calloc and reallocarray the product).
 * Cost: less than free(), because the size needs no look-up; as free() once there was a heap of one's own.
 * Errors: none; `ptr` may be NULL, then nothing happens, whatever `size` says. errno is kept. A wrong `size` is undefined;
 *   HEAPWRIGHT=safe=1 finds it and aborts with a message.
 * Thread-safety: any thread, not only the one that allocated. */
void free_sized(void *ptr, size_t size) HEAPWRIGHT_NOEXCEPT;

/* Gives back `ptr`, a block that aligned_alloc returned for `alignment` and `size` (C23 7.24.3.5).
 * Units: both in bytes, exactly as they were asked for.
 * Cost: as free_sized().
 * Errors: as free_sized(). A block of malloc, calloc or realloc must not be passed here.
 * Thread-safety: any thread. */
void free_aligned_sized(void *ptr, size_t alignment, size_t size) HEAPWRIGHT_NOEXCEPT;

/* The old name of free(), for programs linked before glibc 2.26 took it away.
 * Units: none.
 * Cost: as free().
 * Errors: as free(); `ptr` may be NULL. errno is kept.
 * Thread-safety: any thread. */
void cfree(void *ptr) HEAPWRIGHT_NOEXCEPT;

/* ---- heapwright's own ---------------------------------------------------------------------------------------- */

/* The version of the library that runs, such as "0.1.0".
 * Units: a NUL-terminated string that lives as long as the library is loaded; do not free it.
 * Cost: returns a constant.
 * Errors: none, never NULL.
 * Thread-safety: any thread. */
const char *heapwright_version(void) HEAPWRIGHT_NOEXCEPT HEAPWRIGHT_ATTRIBUTE((__const__, __returns_nonnull__));

/* Gives the memory that is free back to the operating system now, also what is usually kept for later. What the calling
 * thread keeps in its own caches is included; what other threads keep is not.
 * Units: returns how many bytes were given back.
 * Cost: system calls in proportion to the free memory; the pages fault in again when they are used next.
 * Errors: none; 0 means that there was nothing to give back. errno is kept.
 * Thread-safety: any thread; other threads go on allocating. */
size_t heapwright_purge(void) HEAPWRIGHT_NOEXCEPT;

/* The figures of heapwright_stats(). All are in bytes and cover the whole process. */
typedef struct heapwright_stats {
    size_t live_bytes;          /* in blocks that the program holds, rounded up to what each block really takes */
    size_t resident_bytes;      /* of the process, its other mappings too; 0 without /proc */
    size_t peak_resident_bytes; /* the largest resident_bytes so far */
    size_t cached_bytes;        /* free, and kept by threads for their next allocations */
    size_t committed_bytes;     /* of address space that the program could write to without another system call */
    size_t purged_bytes;        /* given back to the system since the start; it only grows */
} heapwright_stats_t;

/* Fills `*out` with the figures of the process.
 * Units: bytes, see above.
 * Cost: walks every thread's cache and every huge block: microseconds to a millisecond, never on the path of malloc.
 * Errors: returns 0; -1 with errno EINVAL when `out` is NULL.
 * Thread-safety: any thread. While others allocate, the figures are each right for some moment of the call, but not all
 *   for the same one. */
int heapwright_stats(struct heapwright_stats *out) HEAPWRIGHT_NOEXCEPT;

/* Writes the figures, and more detail, as text for people to the file descriptor `fd`.
 * Units: bytes, or as each line says.
 * Cost: walks the whole heap and asks the kernel once in 2 MiB what is resident; a few write(2) calls. Allocates nothing.
 * Errors: none are reported; what write(2) refuses is lost, and -1 means standard error. errno is kept.
 * Thread-safety: any thread; the lines of two calls at once may mix. */
void heapwright_stats_print(int fd) HEAPWRIGHT_NOEXCEPT;

/* Checks every invariant of the heap, and that what the calling thread has freed and still keeps was its to free; names
 * the first that is broken in a line on stderr that starts with "heapwright: ".
 * Units: none.
 * Cost: walks the whole heap with its locks held: milliseconds per gigabyte. For tests and for hunting a corruption.
 * Errors: 0 when every invariant holds, -1 otherwise. errno is kept.
 * Thread-safety: any thread; other threads wait when they need more than their caches hold. */
int heapwright_check(void) HEAPWRIGHT_NOEXCEPT HEAPWRIGHT_ATTRIBUTE((__warn_unused_result__));

/* What heapwright_walk() calls for a block: `live` is 1 for one of the program's, 0 for one that a thread keeps. */
typedef void (*heapwright_visit)(void *block, size_t size, int live, void *user);

/* Shows every block of malloc to `visit`, which gets `user` too and must not allocate or free. Blocks that threads keep for
 * their next allocations are shown as not live, and may be shown as live too: they are not. Blocks of heaps of one's own are
 * not shown. While other threads go on, a block that is live all the time is shown as live, once; of one that comes or goes
 * meanwhile, or that a thread is moving between its cache and the rest of the heap, what is shown may be either.
 * Units: `size` in bytes, rounded up to what the block really takes.
 * Cost: in proportion to the heap, some nanoseconds a block, and a system call for each size that each thread keeps.
 * Errors: 0; -1 in a signal handler that interrupted malloc, and where a filter of system calls hides other threads' caches:
 *   then what was shown is not all. errno is kept.
 * Thread-safety: any thread; other threads go on allocating. */
int heapwright_walk(heapwright_visit visit, void *user) HEAPWRIGHT_ATTRIBUTE((__warn_unused_result__));

/* ---- Heaps of one's own: many blocks, freed at once ------------------------------------------------------------ */

/* A heap whose blocks can all be freed together. Opaque. */
typedef struct heapwright_heap heapwright_heap;

/* Destroys `heap` and frees every block that is still allocated from it. Pointers into it are dangling afterwards.
 * Units: none.
 * Cost: in proportion to the memory of the heap in pages, not to the number of blocks.
 * Errors: none; `heap` may be NULL, then nothing happens. errno is kept. A heap must not be destroyed twice.
 * Thread-safety: any thread, once nobody else uses the heap or its blocks. */
void heapwright_heap_destroy(heapwright_heap *heap) HEAPWRIGHT_NOEXCEPT;

/* Makes an empty heap.
 * Units: none.
 * Cost: one small allocation; memory for blocks comes when they are asked for.
 * Errors: NULL with errno ENOMEM when there is no memory, or when there are 1,024 heaps.
 * Thread-safety: any thread. */
heapwright_heap *heapwright_heap_new(void) HEAPWRIGHT_NOEXCEPT HEAPWRIGHT_ATTRIBUTE((__warn_unused_result__));

/* Allocates `size` bytes from `heap`, aligned to 16. free(), free_sized(), realloc() and malloc_usable_size() take the block
 * like any other; realloc() keeps it in its heap, whatever its size becomes.
 * Units: `size` in bytes; 0 gives a block of its own, as malloc(0) does.
 * Cost: more than malloc(): a heap's blocks do not go through the thread's caches.
 * Errors: NULL with errno ENOMEM, also when `size` is above PTRDIFF_MAX.
 * Thread-safety: any thread, several at once. */
void *heapwright_heap_malloc(heapwright_heap *heap, size_t size) HEAPWRIGHT_NOEXCEPT
    HEAPWRIGHT_ATTRIBUTE((__malloc__, __alloc_size__(2), __nonnull__(1), __warn_unused_result__));

/* Allocates `size` bytes from `heap`, aligned to `alignment`, a power of two.
 * Units: both in bytes.
 * Cost: as heapwright_heap_malloc().
 * Errors: NULL with errno EINVAL when `alignment` is not a power of two, ENOMEM when there is no memory.
 * Thread-safety: any thread, several at once. */
void *heapwright_heap_aligned_alloc(heapwright_heap *heap, size_t alignment, size_t size) HEAPWRIGHT_NOEXCEPT
    HEAPWRIGHT_ATTRIBUTE((__malloc__, __alloc_align__(2), __alloc_size__(3), __nonnull__(1), __warn_unused_result__));

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_H */
