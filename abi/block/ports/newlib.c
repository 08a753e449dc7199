/* newlib's malloc on TLSF: malloc, free, calloc, realloc and memalign of the C library, and new of C++, go through these.
 *
 *     arm-none-eabi-gcc ... -I abi/include abi/block/ports/newlib.c libheapwright_block.a
 *
 * The linker takes these functions instead of the library's, with newlib and newlib-nano; no _sbrk() is needed for them. The heap
 * has HEAPWRIGHT_HEAP_BYTES bytes, 32 KiB unless it is defined otherwise.
 *
 * Locks are newlib's: __malloc_lock() and __malloc_unlock(), which do nothing until the program defines them. What they have to
 * do where there are threads or interrupts: docs/blocks.md, Interrupts and locks.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <errno.h>
#include <heapwright/tlsf.h>
#include <reent.h>

#ifndef HEAPWRIGHT_HEAP_BYTES
#define HEAPWRIGHT_HEAP_BYTES (32 * 1024)
#endif

static unsigned char memory[HEAPWRIGHT_HEAP_BYTES];
static heapwright_tlsf *heap;

void __malloc_lock(struct _reent *reent);
void __malloc_unlock(struct _reent *reent);

/* The heap, made at its first use. The caller holds the lock. */
static heapwright_tlsf *opened(void) {
    if (heap == NULL) heap = heapwright_tlsf_create_with_pool(memory, sizeof memory);
    return heap;
}

/* Ends a call: lets others in, and says so where memory was refused. */
static void *done(struct _reent *reent, void *block, size_t size) {
    __malloc_unlock(reent);
    if (block == NULL && size > 0) reent->_errno = ENOMEM;
    return block;
}

void *_malloc_r(struct _reent *reent, size_t size) {
    __malloc_lock(reent);
    return done(reent, heapwright_tlsf_malloc(opened(), size), size);
}

void *_calloc_r(struct _reent *reent, size_t count, size_t size) {
    __malloc_lock(reent);
    return done(reent, heapwright_tlsf_calloc(opened(), count, size), count);
}

void *_memalign_r(struct _reent *reent, size_t align, size_t size) {
    __malloc_lock(reent);
    return done(reent, heapwright_tlsf_memalign(opened(), align, size), size);
}

void *_realloc_r(struct _reent *reent, void *block, size_t size) {
    __malloc_lock(reent);
    return done(reent, heapwright_tlsf_realloc(opened(), block, size), size);
}

void _free_r(struct _reent *reent, void *block) {
    if (block == NULL) return;
    __malloc_lock(reent);
    heapwright_tlsf_free(heap, block);
    __malloc_unlock(reent);
}

size_t _malloc_usable_size_r(struct _reent *reent, void *block) {
    (void)reent;
    return heapwright_tlsf_block_size(block);
}

/* What the heap counts: in use, the most that ever was, the largest block that can be had. */
int heapwright_malloc_stats(heapwright_block_stats *out) {
    __malloc_lock(_REENT);
    int error = heapwright_tlsf_stats(opened(), out);
    __malloc_unlock(_REENT);
    return error;
}
