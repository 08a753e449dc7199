/* heapwright/kernel.h: the kernel's allocators in user space, under the kernel's names.
 *
 *     struct kmem_cache *cache = kmem_cache_create("session", sizeof(struct session), 0, SLAB_HWCACHE_ALIGN, NULL);
 *     struct session *session = kmem_cache_zalloc(cache, GFP_KERNEL);
 *     kmem_cache_free(cache, session);
 *     kmem_cache_destroy(cache);
 *
 *     cargo build --release -p heapwright-abi-kernel
 *     cc -I abi/include driver.c target/release/libheapwright_kernel.a -o driver
 *
 * For C (C99 and later) and C++ (C++98 and later) on 64-bit Linux; also as libheapwright_kernel.so. Code that was
 * written for a kernel and uses these functions compiles against it; what is behind them is heapwright's own.
 *
 * What holds for every function, unless its entry says otherwise:
 *
 * Units: bytes; a page is 4,096 of them. On a machine whose pages are larger, those of vmalloc(), vmap() and
 *   alloc_page() are the machine's.
 * Errors: who allocates gets NULL when there is no memory; functions that return a handle or a number return one of
 *   errno's numbers with a minus, as their entries say. Nothing has changed then, and nothing is lost. errno is not
 *   touched.
 * Misuse: what only a broken program does (an object freed twice, or to another cache; a pointer that is none of the
 *   allocator's; a handle whose object was freed; a cache destroyed with objects in use; a cache or pool used or destroyed
 *   after it was destroyed, which is found until 32 more of its kind were destroyed and others made) ends the program by
 *   abort() after one line on standard error that names the function, the cache or pool, and what was found:
 *
 *     heapwright: kmem_cache_free: cache session: 0x7f2a5c0012c0 is free already (double free)
 *
 * Thread-safety: any function from any thread. An object may be freed by another thread than the one that allocated it.
 *   Who destroys a cache or a pool is the last to use it. From signal handlers: none.
 * fork: the child has all caches, pools and objects as they were, also when other threads of the parent were inside of
 *   these functions. What vmalloc(), vmap() and alloc_page() returned before the fork, and kvmalloc() above 4 MiB, is
 *   one memory for parent and child, as a shared mapping is. Each may free it when it likes and keeps its own: what was
 *   live at a fork is never used again, by neither. So its memory comes back when both have ended, not when it is freed,
 *   and a program that forks again and again, and between forks frees such areas and allocates others, grows. It has
 *   kmalloc(), whose memory a fork copies, or posix_spawn(), system() and vfork(), which cost nothing of this.
 * Descriptors: vmalloc() and its family keep one, 300 or above if the limit allows, which exec closes. A program that
 *   closes it too loses nothing but the memory of what was live then, which comes back at the end and not when it is
 *   freed; vrealloc() copies it where it grows, and its pages cannot be given to vmap() any more, which returns NULL.
 * Mappings: vmalloc() and vmap() leave an eighth of those that a process may have (vm.max_map_count) to the program.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef HEAPWRIGHT_KERNEL_H
#define HEAPWRIGHT_KERNEL_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SIZE_MAX
#define SIZE_MAX ((size_t)-1)
#endif

#if defined(__cplusplus) && __cplusplus >= 201103L
#define HEAPWRIGHT_KERNEL_NOEXCEPT noexcept
#elif defined(__cplusplus)
#define HEAPWRIGHT_KERNEL_NOEXCEPT throw()
#elif defined(__GNUC__)
#define HEAPWRIGHT_KERNEL_NOEXCEPT __attribute__((__nothrow__))
#else
#define HEAPWRIGHT_KERNEL_NOEXCEPT
#endif

#if defined(__GNUC__)
#define HEAPWRIGHT_KERNEL_ATTRIBUTE(list) __attribute__(list)
#else
#define HEAPWRIGHT_KERNEL_ATTRIBUTE(list)
#endif

/* What the declarations below say to the compiler. Of a block of kmalloc()'s family not how many bytes it has: all that
 * ksize() says may be used, and with _FORTIFY_SOURCE a program that does so would be ended. */
#define HEAPWRIGHT_KERNEL_AREA \
    HEAPWRIGHT_KERNEL_NOEXCEPT HEAPWRIGHT_KERNEL_ATTRIBUTE((__malloc__, __alloc_size__(1), __warn_unused_result__))
#define HEAPWRIGHT_KERNEL_BLOCK \
    HEAPWRIGHT_KERNEL_NOEXCEPT HEAPWRIGHT_KERNEL_ATTRIBUTE((__malloc__, __warn_unused_result__))
#define HEAPWRIGHT_KERNEL_USE HEAPWRIGHT_KERNEL_NOEXCEPT HEAPWRIGHT_KERNEL_ATTRIBUTE((__warn_unused_result__))

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Flags ---------------------------------------------------------------------------------------------------- */

/* How memory is asked for. The numbers are heapwright's own. In user space a request may always sleep and there is one
 * kind of memory, so two of them change what happens; the others are there for the code that names them. A bit that is
 * none of these is ignored. */
typedef unsigned int gfp_t;

#define __GFP_ZERO ((gfp_t)0x001u)   /* the memory's bytes are 0 */
#define __GFP_NOFAIL ((gfp_t)0x002u) /* never NULL for want of memory: the program ends instead */
#define __GFP_NOWARN ((gfp_t)0x004u)
#define __GFP_NORETRY ((gfp_t)0x008u)
#define __GFP_RETRY_MAYFAIL ((gfp_t)0x010u)
#define __GFP_HIGHMEM ((gfp_t)0x020u)
#define __GFP_MOVABLE ((gfp_t)0x040u)
#define __GFP_RECLAIMABLE ((gfp_t)0x080u)
#define __GFP_ACCOUNT ((gfp_t)0x100u)
#define __GFP_COMP ((gfp_t)0x200u)
#define __GFP_IO ((gfp_t)0x400u)
#define __GFP_FS ((gfp_t)0x800u)
#define __GFP_RECLAIM ((gfp_t)0x1000u)
#define __GFP_HIGH ((gfp_t)0x2000u)

#define GFP_KERNEL (__GFP_RECLAIM | __GFP_IO | __GFP_FS)
#define GFP_KERNEL_ACCOUNT (GFP_KERNEL | __GFP_ACCOUNT)
#define GFP_ATOMIC (__GFP_HIGH)
#define GFP_NOWAIT (__GFP_NOWARN)
#define GFP_NOIO (__GFP_RECLAIM)
#define GFP_NOFS (__GFP_RECLAIM | __GFP_IO)
#define GFP_USER (GFP_KERNEL)
#define GFP_HIGHUSER (GFP_USER | __GFP_HIGHMEM)
#define GFP_HIGHUSER_MOVABLE (GFP_HIGHUSER | __GFP_MOVABLE)

/* No node is preferred. The functions that are given one, ..._node(), take memory from wherever it is. */
#define NUMA_NO_NODE (-1)

/* How a cache is made. The numbers are heapwright's own. There is no SLAB_TYPESAFE_BY_RCU: slabs go back without waiting
 * for readers, so code that relies on it must not compile. */
typedef unsigned int slab_flags_t;

#define SLAB_HWCACHE_ALIGN ((slab_flags_t)0x001u)      /* objects begin at lines of the processor's cache, or parts of it */
#define SLAB_PANIC ((slab_flags_t)0x002u)              /* if it cannot be made the program ends */
#define SLAB_POISON ((slab_flags_t)0x004u)             /* what is free is 0x6b, and looked at before it is used */
#define SLAB_RED_ZONE ((slab_flags_t)0x008u)           /* bytes around an object, looked at when it is freed */
#define SLAB_STORE_USER ((slab_flags_t)0x010u)         /* remembers who used an object last, by pthread_self(); 0: in bulk,
                                                        * or by a sheaf */
#define SLAB_CONSISTENCY_CHECKS ((slab_flags_t)0x020u) /* accepted: what it asks for is always checked */
#define SLAB_NO_MERGE ((slab_flags_t)0x040u)           /* accepted: caches are never merged */
#define SLAB_RECLAIM_ACCOUNT ((slab_flags_t)0x080u)    /* accepted */
#define SLAB_ACCOUNT ((slab_flags_t)0x100u)            /* accepted */

/* ---- Errors as pointers ----------------------------------------------------------------------------------------- */

/* The largest number of an error. The last 4,095 addresses are no memory's: a pointer or handle there says why there is
 * none. */
#ifndef MAX_ERRNO
#define MAX_ERRNO 4095
#endif

/* Whether a handle or a number is an error: one of the last 4,095. Cost: O(1). */
#define IS_ERR_VALUE(x) ((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)

/* The pointer for an error such as -ENOMEM. Cost: O(1). */
static inline void *ERR_PTR(long error) { return (void *)(intptr_t)error; }

/* The error of such a pointer. Cost: O(1). */
static inline long PTR_ERR(const void *pointer) { return (long)(intptr_t)pointer; }

/* Whether a pointer is an error. Cost: O(1). */
static inline bool IS_ERR(const void *pointer) { return IS_ERR_VALUE((unsigned long)(uintptr_t)pointer); }

/* Whether a pointer is an error or NULL. Cost: O(1). */
static inline bool IS_ERR_OR_NULL(const void *pointer) { return !pointer || IS_ERR(pointer); }

#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12
#endif
#ifndef PAGE_SIZE
#define PAGE_SIZE (1UL << PAGE_SHIFT)
#endif

/* ---- Caches of objects: kmem_cache_* ---------------------------------------------------------------------------- */

/* Objects of one size, in slabs of their own. Opaque. */
struct kmem_cache;

/* Objects that were taken out of a cache beforehand, so that getting them cannot fail. Opaque. */
struct slab_sheaf;

/* Makes a cache for objects of `size` bytes at multiples of `align`, a power of two; 0: 8 bytes, or what the flags ask
 * for. `name` is copied; of a longer one the first 31 characters. `ctor`, if not NULL, is called once for each object
 * when its slab is made, not for each allocation: who frees an object leaves it as `ctor` made it, and gets it so
 * again. Nothing of the cache's is written into such an object while it is free.
 * `ctor` runs while no other thread can use the cache. It may allocate, free and look at blocks, areas, pages, objects
 * of pools, and objects of other caches whose constructors do not use this one. It must not use this cache, which is
 * misuse; nor make or destroy a cache or pool, call heapwright_kernel_check() or heapwright_kernel_slabinfo(), wait for
 * another thread, start one, fork, or leave otherwise than by returning.
 * Cost: O(1), and a system call or two.
 * Errors: NULL when the name is NULL or empty, `size` is 0 or above 4 MiB, `align` is no power of two or above 4,096,
 *   or there is no memory; with SLAB_PANIC the program ends. */
struct kmem_cache *kmem_cache_create(const char *name, unsigned int size, unsigned int align, slab_flags_t flags,
                                     void (*ctor)(void *object)) HEAPWRIGHT_KERNEL_USE;

/* A cache for objects of a structure, named like it. */
#define KMEM_CACHE(structure, flags) \
    kmem_cache_create(#structure, sizeof(struct structure), __alignof__(struct structure), (flags), NULL)

/* Gives a cache and its slabs back. `cache` may be NULL: then nothing happens.
 * Cost: O(slabs).
 * Errors: none. Misuse: objects of it are in use, also by a sheaf that was not returned. */
void kmem_cache_destroy(struct kmem_cache *cache) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* An object. While the slab that the last one came from has free ones, it is the one of them that was freed last; a
 * fresh slab's come in the order of their addresses. Without a constructor its contents are anything (0 with
 * __GFP_ZERO); with one, as `ctor` or the last user left it, and __GFP_ZERO is misuse.
 * Cost: O(1).
 * Errors: NULL when there is no memory. */
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* kmem_cache_alloc() with __GFP_ZERO. */
void *kmem_cache_zalloc(struct kmem_cache *cache, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* kmem_cache_alloc(). */
static inline void *kmem_cache_alloc_node(struct kmem_cache *cache, gfp_t flags, int node) {
    (void)node;
    return kmem_cache_alloc(cache, flags);
}

/* Gives an object back.
 * Cost: O(1).
 * Errors: none. Misuse: it is none of this cache's, another cache's, free already, or NULL. */
void kmem_cache_free(struct kmem_cache *cache, void *object) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* `count` objects at once, into `objects`: all of them or none.
 * Units: returns `count`, or 0.
 * Cost: O(count), and far less for each than kmem_cache_alloc().
 * Errors: 0 when there is no memory for all of them; `objects` may have been written to. */
int kmem_cache_alloc_bulk(struct kmem_cache *cache, gfp_t flags, size_t count, void **objects) HEAPWRIGHT_KERNEL_USE;

/* Gives `count` objects back.
 * Cost: O(count).
 * Errors: none. Misuse: as kmem_cache_free(), of any of them. */
void kmem_cache_free_bulk(struct kmem_cache *cache, size_t count, void **objects) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Gives slabs without an object in use back to the system; some are kept otherwise.
 * Units: 0 when nothing is left, 1 when slabs with objects in use are.
 * Cost: O(slabs).
 * Errors: none. */
int kmem_cache_shrink(struct kmem_cache *cache) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Bytes of an object, as the cache was made for.
 * Cost: O(1).
 * Errors: none. */
unsigned int kmem_cache_size(struct kmem_cache *cache) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Takes `count` objects beforehand: that many times kmem_cache_alloc_from_sheaf() cannot fail.
 * Cost: O(count); O(1) for more than the machine has memory for.
 * Errors: NULL when there is no memory for all of them. */
struct slab_sheaf *kmem_cache_prefill_sheaf(struct kmem_cache *cache, gfp_t flags, unsigned int count)
    HEAPWRIGHT_KERNEL_USE;

/* Fills a sheaf up to `count` objects at least. The sheaf may become another one: `*sheaf` says which.
 * Units: 0 when it is done.
 * Cost: O(count).
 * Errors: -ENOMEM; the sheaf is as it was. */
int kmem_cache_refill_sheaf(struct kmem_cache *cache, gfp_t flags, struct slab_sheaf **sheaf, unsigned int count)
    HEAPWRIGHT_KERNEL_USE;

/* An object out of a sheaf. It is freed as any other of the cache's.
 * Cost: O(1).
 * Errors: NULL when the sheaf is empty. */
void *kmem_cache_alloc_from_sheaf(struct kmem_cache *cache, gfp_t flags, struct slab_sheaf *sheaf) HEAPWRIGHT_KERNEL_USE;

/* Gives a sheaf back with what is left in it.
 * Cost: O(objects left).
 * Errors: none. */
void kmem_cache_return_sheaf(struct kmem_cache *cache, gfp_t flags, struct slab_sheaf *sheaf) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Objects that are left in a sheaf.
 * Cost: O(1).
 * Errors: none. */
unsigned int kmem_cache_sheaf_size(struct slab_sheaf *sheaf) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* ---- Blocks of any size: kmalloc and its family ------------------------------------------------------------------ */

/* What kmalloc(0) returns: no memory, but no failure. kfree() accepts it. */
#define ZERO_SIZE_PTR ((void *)16)
#define ZERO_OR_NULL_PTR(pointer) ((uintptr_t)(pointer) <= (uintptr_t)ZERO_SIZE_PTR)

/* The largest block of kmalloc(). */
#define KMALLOC_MAX_SIZE ((size_t)4 << 20)

/* `size` bytes: a block of 8, 16, 32, 64, 96, 128, 192, 256, 512, 1k, 2k, 4k or 8k, above that of 2^k pages. A block of
 * a power of two is at a multiple of it, one of 96 at a multiple of 32, one of 192 of 64. Its contents are anything; 0
 * with __GFP_ZERO, all that ksize() says. Size 0 gives ZERO_SIZE_PTR.
 * Cost: O(1); above 8 KiB a search among pages.
 * Errors: NULL when there is no memory, or `size` is above KMALLOC_MAX_SIZE. */
void *kmalloc(size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kmalloc() of bytes that are 0. */
void *kzalloc(size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* `count` times `size` bytes. Errors: as kmalloc(); a product above SIZE_MAX is refused. */
void *kmalloc_array(size_t count, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kmalloc_array() of bytes that are 0. */
void *kcalloc(size_t count, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kmalloc(), kzalloc() and kcalloc(). */
static inline void *kmalloc_node(size_t size, gfp_t flags, int node) {
    (void)node;
    return kmalloc(size, flags);
}
static inline void *kzalloc_node(size_t size, gfp_t flags, int node) {
    (void)node;
    return kzalloc(size, flags);
}
static inline void *kcalloc_node(size_t count, size_t size, gfp_t flags, int node) {
    (void)node;
    return kcalloc(count, size, flags);
}

/* Makes a block `size` bytes, here or elsewhere. As many bytes as both sizes have are kept. With __GFP_ZERO in this and
 * every call before it for the block, from the first on, what is gained is 0; in one of them only, the bytes beyond the
 * block's old ksize(). NULL or ZERO_SIZE_PTR: as kmalloc(). Size 0: frees it, and returns ZERO_SIZE_PTR.
 * Cost: as kmalloc(), and O(bytes) where it moves.
 * Errors: NULL; the block stays as it was. Misuse: as kfree(). */
void *krealloc(const void *block, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* krealloc() to `count` times `size` bytes. Errors: as krealloc(); a product above SIZE_MAX is refused. */
void *krealloc_array(void *block, size_t count, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* Gives a block back; or an object of any cache. NULL and ZERO_SIZE_PTR: nothing happens.
 * Cost: O(1).
 * Errors: none. Misuse: it is free already, inside of a block, or no block. */
void kfree(const void *block) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* kfree() of a block whose bytes, all that ksize() says, are made 0 first, so that no later user can read them. */
void kfree_sensitive(const void *block) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Bytes of a block, at least as many as were asked for. All of them may be used. 0 for NULL and ZERO_SIZE_PTR.
 * Cost: as kfree().
 * Errors: none. Misuse: as kfree(). */
size_t ksize(const void *block) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* What ksize() will say of a block of `size` bytes. 0 for 0; `size` itself when it is above KMALLOC_MAX_SIZE.
 * Cost: O(1).
 * Errors: none. */
size_t kmalloc_size_roundup(size_t size) HEAPWRIGHT_KERNEL_NOEXCEPT HEAPWRIGHT_KERNEL_ATTRIBUTE((__const__));

/* A copy of a string, by kmalloc(). NULL gives NULL.
 * Cost: O(length).
 * Errors: NULL. */
char *kstrdup(const char *text, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* A copy of the first `most` characters of a string, ended by a 0, by kmalloc(). NULL gives NULL.
 * Cost: O(length).
 * Errors: NULL. */
char *kstrndup(const char *text, size_t most, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* A copy of `size` bytes, by kmalloc().
 * Cost: O(size).
 * Errors: as kmalloc(). */
void *kmemdup(const void *bytes, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* kmalloc() where it has such a block, vmalloc() otherwise. It is freed by kvfree().
 * Errors: NULL when there is no memory. */
void *kvmalloc(size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kvmalloc() of bytes that are 0. */
void *kvzalloc(size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kvmalloc() of `count` times `size` bytes. Errors: as kvmalloc(); a product above SIZE_MAX is refused. */
void *kvmalloc_array(size_t count, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kvmalloc_array() of bytes that are 0. */
void *kvcalloc(size_t count, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_BLOCK;

/* kvmalloc(). */
static inline void *kvmalloc_node(size_t size, gfp_t flags, int node) {
    (void)node;
    return kvmalloc(size, flags);
}

/* krealloc() of a block, vrealloc() of an area; a block that becomes larger than kmalloc() has becomes an area.
 * Errors: NULL; the block stays as it was. Misuse: as kvfree(). */
void *kvrealloc(const void *block, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* kfree() or vfree(), whichever the address is for. NULL: nothing happens. */
void kvfree(const void *block) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* ---- Pages, one by one and made contiguous: vmalloc and its family ------------------------------------------------ */

/* A page of memory, of alloc_page(), vmalloc() or an xvmalloc pool. Opaque. */
struct page;

/* How pages are mapped. Accepted: every mapping is for reading and writing. */
typedef unsigned long pgprot_t;
#define PAGE_KERNEL ((pgprot_t)0)
#define VM_MAP 0x1UL

/* A page, or NULL when there is no memory. It is 0 with __GFP_ZERO.
 * Cost: O(1), a system call now and then. */
struct page *alloc_page(gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* Gives back a page of alloc_page(). NULL: nothing happens.
 * Cost: O(1), a system call now and then.
 * Errors: none. Misuse: it is free already, none of alloc_page()'s, or mapped by vmap(). */
void __free_page(struct page *page) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Where a page's bytes are; every page has its own place besides those where vmap() and vmalloc() show it.
 * Cost: O(1).
 * Errors: none. Misuse: it is no page, or free; what is not even the address of memory is undefined. */
void *page_address(const struct page *page) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* page_address(), and its end: every page is mapped always. */
static inline void *kmap_local_page(const struct page *page) { return page_address(page); }
static inline void kunmap_local(const void *address) { (void)address; }

/* `size` bytes, rounded up to pages, at a multiple of a page; behind them a page that must not be touched. The pages
 * are taken one by one and need not lie together. Contents are anything.
 * Cost: O(pages), and system calls.
 * Errors: NULL when there is no memory, or `size` is 0. */
void *vmalloc(size_t size) HEAPWRIGHT_KERNEL_AREA;

/* vmalloc() of bytes that are 0. */
void *vzalloc(size_t size) HEAPWRIGHT_KERNEL_AREA;

/* vmalloc() and vzalloc() of `count` times `size` bytes. Errors: as vmalloc(); a product above SIZE_MAX is refused. */
static inline void *vmalloc_array(size_t count, size_t size) {
    return size && count > SIZE_MAX / size ? NULL : vmalloc(count * size);
}
static inline void *vcalloc(size_t count, size_t size) {
    return size && count > SIZE_MAX / size ? NULL : vzalloc(count * size);
}

/* vmalloc() and vzalloc(). */
static inline void *vmalloc_node(size_t size, int node) {
    (void)node;
    return vmalloc(size);
}
static inline void *vzalloc_node(size_t size, int node) {
    (void)node;
    return vzalloc(size);
}

/* Makes an area of vmalloc() `size` bytes, in place where it shrinks, else perhaps elsewhere. As many bytes as both sizes
 * have are kept, and pages that stay are not copied; with __GFP_ZERO what is gained is 0. NULL: as vmalloc(). Size 0:
 * frees it, and returns NULL.
 * Cost: O(pages), and system calls where it grows.
 * Errors: NULL; the area stays as it was. Misuse: as vfree(). */
void *vrealloc(const void *area, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_NOEXCEPT
    HEAPWRIGHT_KERNEL_ATTRIBUTE((__alloc_size__(2), __warn_unused_result__));

/* Gives back what vmalloc(), vzalloc() or vrealloc() returned. NULL: nothing happens.
 * Cost: O(pages); the addresses are unmapped later, many at once.
 * Errors: none. Misuse: it is no area of vmalloc(), inside of one, or free. */
void vfree(const void *address) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Shows `count` pages of alloc_page() side by side, in the order given; a page may be there more than once, and be
 * shown by several areas, 124 times in all. Behind them a page that must not be touched. `flags` and `prot` change
 * nothing.
 * Cost: O(count), and a system call for each run of pages.
 * Errors: NULL when there is no memory, `count` is 0, or a page is one of vmalloc()'s. Misuse: one of `pages` is no
 *   page. */
void *vmap(struct page **pages, unsigned int count, unsigned long flags, pgprot_t prot) HEAPWRIGHT_KERNEL_USE;

/* Ends what vmap() returned. The pages stay the caller's. NULL: nothing happens.
 * Cost: as vfree().
 * Errors: none. Misuse: it is no area of vmap(), inside of one, or ended. */
void vunmap(const void *address) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* The page behind an address of vmalloc() or vmap(). NULL: it is none. One of vmalloc()'s goes with its area.
 * Cost: O(1). */
struct page *vmalloc_to_page(const void *address) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Whether an address is in the range that vmalloc() and vmap() use.
 * Cost: O(1). */
bool is_vmalloc_addr(const void *address) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* ---- Objects that move: zs_* ------------------------------------------------------------------------------------- */

/* Objects of 1 to 4,096 bytes, packed into chains of up to 8 pages by size; reached by a handle, so that compacting can
 * move them. Opaque. */
struct zs_pool;

struct zs_pool_stats {
    unsigned long pages_compacted; /* pages that compacting gave back so far */
};

/* Makes a pool. `name` is copied; of a longer one the first 31 characters.
 * Cost: O(1), and a system call or two.
 * Errors: NULL when `name` is NULL, or there is no memory. */
struct zs_pool *zs_create_pool(const char *name) HEAPWRIGHT_KERNEL_USE;

/* Gives a pool back.
 * Cost: O(tables).
 * Errors: none. Misuse: objects of it are in use. */
void zs_destroy_pool(struct zs_pool *pool) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* An object of `size` bytes, all of them 0. Returns its handle, which is never 0 and is good until zs_free(), however
 * often the pool is compacted.
 * Cost: O(1), and O(size); a system call now and then.
 * Errors: an error value, see IS_ERR_VALUE(): -EINVAL when `size` is 0, -ENOSPC when it is above 4,096, -ENOMEM. */
unsigned long zs_malloc(struct zs_pool *pool, size_t size, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* Gives an object back. A handle that is 0 or an error value: nothing happens.
 * Cost: O(1).
 * Errors: none. Misuse: the handle is none of this pool's, its object is free already, or is being read. */
void zs_free(struct zs_pool *pool, unsigned long handle) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Where an object's bytes are, to be read until zs_obj_read_end(): so long it neither moves nor may be freed or
 * written. They always lie in one piece, so `local_copy` is never written to, and may be NULL. Up to 65,535 may read one
 * object at the same time.
 * Cost: O(1), nothing is copied.
 * Errors: none. Misuse: the handle is none of this pool's, or its object was freed. */
void *zs_obj_read_begin(struct zs_pool *pool, unsigned long handle, void *local_copy) HEAPWRIGHT_KERNEL_USE;

/* Ends what zs_obj_read_begin() began; `bytes` is what that returned.
 * Cost: O(1).
 * Errors: none. Misuse: nobody reads the object; or as zs_obj_read_begin(). */
void zs_obj_read_end(struct zs_pool *pool, unsigned long handle, void *bytes) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Copies `len` bytes to the start of an object.
 * Cost: O(len).
 * Errors: none. Misuse: the object is shorter, or is being read; or as zs_obj_read_begin(). */
void zs_obj_write(struct zs_pool *pool, unsigned long handle, void *bytes, size_t len) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Moves objects out of the chains that are emptiest, and gives these back. Passes chains by of which an object is being
 * read.
 * Units: pages that went back.
 * Cost: O(bytes moved); needs no memory. Other calls on the pool wait meanwhile.
 * Errors: none. */
unsigned long zs_compact(struct zs_pool *pool) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Pages that the pool's objects lie in.
 * Cost: O(1).
 * Errors: none. */
unsigned long zs_get_total_pages(struct zs_pool *pool) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Fills `*stats`.
 * Cost: O(1).
 * Errors: none. */
void zs_pool_stats(struct zs_pool *pool, struct zs_pool_stats *stats) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* From how many bytes on an object takes a page of its own: what is as long need not be compressed. 3,625 with chains
 * of 8.
 * Cost: O(classes).
 * Errors: none. */
size_t zs_huge_class_size(struct zs_pool *pool) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* The number of the class that an object of `size` bytes is of: 0 to 254, the same for sizes that share chains.
 * Cost: O(classes).
 * Errors: 254, the largest, when `size` is 0 or above 4,096. */
unsigned int zs_lookup_class_index(struct zs_pool *pool, unsigned int size) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* ---- Objects by page and offset: xv_* ----------------------------------------------------------------------------- */

/* Objects of 1 to 4,092 bytes, best fit within single pages, of which a page and an offset name one. They never move.
 * Opaque. */
struct xv_pool;

/* Makes a pool.
 * Cost: O(1), and a system call or two.
 * Errors: NULL when there is no memory. */
struct xv_pool *xv_create_pool(void) HEAPWRIGHT_KERNEL_USE;

/* Gives a pool back.
 * Cost: O(tables).
 * Errors: none. Misuse: objects of it are in use. */
void xv_destroy_pool(struct xv_pool *pool) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* An object of `size` bytes, all of them 0: it begins `*offset` bytes into `*page`, at page_address(*page) + *offset, a
 * multiple of 4.
 * Units: 0 when it is there.
 * Cost: O(1), and O(size); a page more now and then.
 * Errors: -EINVAL when `size` is 0, -ENOSPC when it is above 4,092, -ENOMEM; `*page` is NULL and `*offset` 0 then. */
int xv_malloc(struct xv_pool *pool, uint32_t size, struct page **page, uint32_t *offset, gfp_t flags) HEAPWRIGHT_KERNEL_USE;

/* Gives an object back; a page that becomes empty goes back too.
 * Cost: O(1).
 * Errors: none. Misuse: it is none of this pool's, or free already. */
void xv_free(struct xv_pool *pool, struct page *page, uint32_t offset) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Exactly how many bytes a live object was made with; `object` is where it begins, page_address() + offset.
 * Cost: O(1).
 * Errors: none; of anything but a live object the answer is anything. */
uint32_t xv_get_object_size(void *object) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Bytes of the pages that the pool's objects lie in.
 * Cost: O(1).
 * Errors: none. */
uint64_t xv_get_total_size_bytes(struct xv_pool *pool) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* ---- Looking at it: heapwright's own ------------------------------------------------------------------------------ */

/* Walks all caches, pools and areas, and what is between them.
 * Units: 0 when every invariant holds; otherwise -1, and a line on standard error says which does not.
 * Cost: O(everything); other calls wait meanwhile. */
int heapwright_kernel_check(void) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Writes a table of all caches to a file descriptor, as the kernel's /proc/slabinfo 2.1 has it.
 * Cost: O(caches). */
void heapwright_kernel_slabinfo(int descriptor) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Writes a line for each area of vmalloc() and vmap() to a file descriptor, as the kernel's /proc/vmallocinfo has it.
 * Cost: O(areas). */
void heapwright_kernel_vmallocinfo(int descriptor) HEAPWRIGHT_KERNEL_NOEXCEPT;

/* Writes the table of a pool's classes to a file descriptor, as the kernel's zsmalloc/POOL/classes has it.
 * Cost: O(classes). */
void heapwright_kernel_zs_classes(struct zs_pool *pool, int descriptor) HEAPWRIGHT_KERNEL_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* HEAPWRIGHT_KERNEL_H */
