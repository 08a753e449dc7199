/* Zephyr's k_malloc and its like on TLSF.
 *
 *     target_sources(app PRIVATE abi/block/ports/zephyr.c)
 *     target_link_libraries(app PRIVATE libheapwright_block.a)
 *     zephyr_ld_options(-Wl,--wrap=k_malloc,--wrap=k_calloc,--wrap=k_realloc,--wrap=k_aligned_alloc,--wrap=k_free)
 *
 * The linker puts these functions where the kernel's are called; the heap has HEAPWRIGHT_HEAP_BYTES bytes, 32 KiB unless it is
 * defined otherwise. What the kernel allocates for itself stays on its own heap, and goes back there: k_free() looks where a
 * block lies.
 *
 * As in the kernel calls may come from threads and, as nothing waits, from interrupts: each holds a spinlock for a known number of
 * instructions (docs/blocks.md, Worst-case instructions), k_realloc() also while it copies.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#include <heapwright/tlsf.h>
#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/mem_stats.h>

#ifndef HEAPWRIGHT_HEAP_BYTES
#define HEAPWRIGHT_HEAP_BYTES (32 * 1024)
#endif

static uint8_t memory[HEAPWRIGHT_HEAP_BYTES];
static heapwright_tlsf *heap;
static struct k_spinlock lock;

void __real_k_free(void *block);
void *__real_k_realloc(void *block, size_t size);

/* The heap, made at its first use. The caller holds the lock. */
static heapwright_tlsf *opened(void) {
    if (heap == NULL) heap = heapwright_tlsf_create_with_pool(memory, sizeof memory);
    return heap;
}

static int is_ours(const void *block) {
    return (uintptr_t)block - (uintptr_t)memory < sizeof memory;
}

void *__wrap_k_aligned_alloc(size_t align, size_t size) {
    k_spinlock_key_t key = k_spin_lock(&lock);
    void *block = heapwright_tlsf_memalign(opened(), align, size);
    k_spin_unlock(&lock, key);
    return block;
}

void *__wrap_k_malloc(size_t size) { return __wrap_k_aligned_alloc(sizeof(void *), size); }

void *__wrap_k_calloc(size_t count, size_t size) {
    if (size > 0 && count > SIZE_MAX / size) return NULL;
    void *block = __wrap_k_malloc(count * size);
    if (block != NULL) (void)memset(block, 0, count * size);
    return block;
}

void *__wrap_k_realloc(void *block, size_t size) {
    if (block != NULL && !is_ours(block)) return __real_k_realloc(block, size);
    k_spinlock_key_t key = k_spin_lock(&lock);
    block = heapwright_tlsf_realloc(opened(), block, size);
    k_spin_unlock(&lock, key);
    return block;
}

void __wrap_k_free(void *block) {
    if (block == NULL) return;
    if (!is_ours(block)) {
        __real_k_free(block);
        return;
    }
    k_spinlock_key_t key = k_spin_lock(&lock);
    heapwright_tlsf_free(heap, block);
    k_spin_unlock(&lock, key);
}

/* What sys_heap_runtime_stats_get() says of a heap of the kernel's, of this one. */
void heapwright_k_malloc_stats(struct sys_memory_stats *out) {
    heapwright_block_stats stats;
    k_spinlock_key_t key = k_spin_lock(&lock);
    int error = heapwright_tlsf_stats(opened(), &stats);
    k_spin_unlock(&lock, key);
    (void)memset(out, 0, sizeof *out);
    if (error != HEAPWRIGHT_BLOCK_OK) return;
    out->free_bytes = stats.total - stats.used;
    out->allocated_bytes = stats.used;
    out->max_allocated_bytes = stats.peak;
}
