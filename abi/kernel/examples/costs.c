/* What the calls cost: the thread's own processor time, the best of fifteen runs.
 *
 *     cargo build --release -p heapwright-abi-kernel
 *     cc -O2 -I abi/include abi/kernel/examples/costs.c target/release/libheapwright_kernel.a -o costs && ./costs
 */
#define _POSIX_C_SOURCE 200809L
#include <heapwright/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1000, RUNS = 15 };

static struct kmem_cache *cache;
static struct zs_pool *zs;
static struct xv_pool *xv;
static void *objects[COUNT];
static unsigned long handles[COUNT];
static struct page *pages[COUNT];
static uint32_t offsets[COUNT];
static char bytes[1000];

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void kmem_pairs(void) {
    for (int i = 0; i < COUNT; i++) kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
}

static void kmem_all(void) {
    for (int i = 0; i < COUNT; i++) objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
    for (int i = 0; i < COUNT; i++) kmem_cache_free(cache, objects[i]);
}

static void kmem_bulk(void) {
    for (int i = 0; i + 16 <= COUNT; i += 16)
        if (kmem_cache_alloc_bulk(cache, GFP_KERNEL, 16, objects) == 16) kmem_cache_free_bulk(cache, 16, objects);
}

static void kmalloc_pairs(void) {
    for (int i = 0; i < COUNT; i++) kfree(kmalloc(64, GFP_KERNEL));
}

static void vmalloc_pairs(void) {
    for (int i = 0; i < COUNT; i++) {
        char *area = vmalloc(PAGE_SIZE);
        if (area) *area = 1;
        vfree(area);
    }
}

static void zs_all(void) {
    for (int i = 0; i < COUNT; i++) handles[i] = zs_malloc(zs, sizeof bytes, GFP_NOIO);
    for (int i = 0; i < COUNT; i++) zs_free(zs, handles[i]);
}

static void zs_store(void) {
    for (int i = 0; i < COUNT; i++) handles[i] = zs_malloc(zs, sizeof bytes, GFP_NOIO);
}

static void zs_reads(void) {
    for (int i = 0; i < COUNT; i++) zs_obj_read_end(zs, handles[i], zs_obj_read_begin(zs, handles[i], NULL));
}

static void zs_writes(void) {
    for (int i = 0; i < COUNT; i++) zs_obj_write(zs, handles[i], bytes, sizeof bytes);
}

static void xv_all(void) {
    for (int i = 0; i < COUNT; i++)
        if (xv_malloc(xv, sizeof bytes, &pages[i], &offsets[i], GFP_NOIO)) abort();
    for (int i = 0; i < COUNT; i++) xv_free(xv, pages[i], offsets[i]);
}

static void show(const char *what, void (*run)(void)) {
    double best = 1e18;
    for (int i = 0; i < RUNS; i++) {
        double start = now();
        run();
        double took = now() - start;
        if (took < best) best = took;
    }
    printf("%-50s %8.1f ns\n", what, best / COUNT);
}

int main(void) {
    cache = kmem_cache_create("objects", 64, 0, 0, NULL);
    zs = zs_create_pool("zs");
    xv = xv_create_pool();
    if (!cache || !zs || !xv) return 1;
    show("kmem_cache_alloc, free: 64 bytes", kmem_pairs);
    show("the same, 1,000 and then their frees", kmem_all);
    show("the same, 16 in bulk, for each object", kmem_bulk);
    show("kmalloc, kfree: 64 bytes", kmalloc_pairs);
    show("vmalloc, a write, vfree: a page", vmalloc_pairs);
    show("zs_malloc, 1,000 of 1,000 bytes, zs_free", zs_all);
    zs_store();
    show("zs_obj_read_begin, end", zs_reads);
    show("zs_obj_write: 1,000 bytes", zs_writes);
    for (int i = 0; i < COUNT; i++) zs_free(zs, handles[i]);
    show("xv_malloc, 1,000 of 1,000 bytes, xv_free", xv_all);
    xv_destroy_pool(xv);
    zs_destroy_pool(zs);
    kmem_cache_destroy(cache);
    return 0;
}
