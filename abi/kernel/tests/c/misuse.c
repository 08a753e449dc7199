// Every misuse ends the program, with SIGABRT and the line that its case names: each case is run as a process of its own
#include <unistd.h>

#include "check.h"

static struct {
    const char *name, *line;
    void (*body)(void);
} cases[64];

static int count;

// A case, and the line on standard error without the "heapwright: " that all begin with.
#define MISUSE(case_name, says)                                         \
    static void misuse_##case_name(void);                               \
    __attribute__((constructor)) static void add_##case_name(void) {    \
        cases[count].name = #case_name;                                 \
        cases[count].line = says;                                       \
        cases[count++].body = misuse_##case_name;                       \
    }                                                                   \
    static void misuse_##case_name(void)

// Runs the case that is named, or lists all.
int main(int arguments, char **argument) {
    for (int i = 0; i < count; i++) {
        if (arguments == 1) printf("%s %s\n", cases[i].name, cases[i].line);
        else if (strcmp(cases[i].name, argument[1]) == 0) cases[i].body();
    }
    return 0;
}

static struct kmem_cache *session(slab_flags_t flags) { return kmem_cache_create("session", 40, 0, flags, NULL); }

MISUSE(free_page, "__free_page: {it} is no page of alloc_page(), or free") {
    struct page *page = shown(alloc_page(GFP_KERNEL));
    __free_page(page);
    __free_page(page);
}

MISUSE(free_page_mapped, "__free_page: {it} is mapped by vmap()") {
    struct page *page = shown(alloc_page(GFP_KERNEL));
    CHECK(vmap(&page, 1, VM_MAP, PAGE_KERNEL) != NULL);
    __free_page(page);
}

MISUSE(kfree_foreign, "kfree: {it} is no block of kmalloc") {
    static char memory[64];
    kfree(kmalloc(10, GFP_KERNEL));
    kfree(shown(memory));
}

MISUSE(kfree_inside, "kfree: cache kmalloc-128: {it} points into a slab, not at an object's start") {
    kfree(shown((char *)kmalloc(100, GFP_KERNEL) + 8));
}

MISUSE(kfree_large, "kfree: {it} is no block of kmalloc") {
    void *block = shown(kmalloc(100000, GFP_KERNEL));
    kfree(block);
    kfree(hide(block));
}

MISUSE(kfree_twice, "kfree: cache kmalloc-128: {it} is free already (double free)") {
    void *block = shown(kmalloc(100, GFP_KERNEL));
    kfree(block);
    kfree(hide(block));
}

MISUSE(kmem_block, "kmem_cache_free: cache session: {it} is a block of kmalloc") {
    struct kmem_cache *cache = kmem_cache_create("session", 64, 0, 0, NULL);
    kmem_cache_free(cache, shown(kmalloc(64, GFP_KERNEL)));
}

MISUSE(kmem_bulk_twice, "kmem_cache_free_bulk: cache session: {it} is free already (double free)") {
    struct kmem_cache *cache = session(SLAB_CONSISTENCY_CHECKS);
    void *objects[3];
    CHECK(kmem_cache_alloc_bulk(cache, GFP_KERNEL, 3, objects) == 3);
    objects[2] = shown(objects[1]);
    kmem_cache_free_bulk(cache, 3, objects);
}

static struct kmem_cache *itself, *other;
static void *first;

static void construct(void *object) {
    *(long *)object = 0;
    (void)hide(kmem_cache_alloc(itself, GFP_KERNEL));
}

static void construct_later(void *object) {
    *(long *)object = 0;
    if (first) (void)hide(kmem_cache_alloc(other, GFP_KERNEL));
}

static void detour(void *object) {
    *(long *)object = 0;
    kfree(first);
}

static void *sleep_long(void *unused) {
    pause();
    return unused;
}

MISUSE(kmem_ctor_self, "kmem_cache_alloc: cache session: its constructor uses it") {
    itself = kmem_cache_create("session", 1024, 0, 0, construct);
    (void)hide(kmem_cache_alloc(itself, GFP_KERNEL));
}

// Also in a process with threads, and by a detour.
MISUSE(kmem_ctor_self_threads, "kfree: cache session: its constructor uses it") {
    pthread_t thread;
    alarm(60);
    pthread_create(&thread, NULL, sleep_long, NULL);
    itself = kmem_cache_create("session", 1024, 0, 0, construct_later);
    other = kmem_cache_create("other", 64, 0, 0, detour);
    first = kmem_cache_alloc(itself, GFP_KERNEL);
    for (int i = 0; i < 100; i++) (void)hide(kmem_cache_alloc(itself, GFP_KERNEL));
}

MISUSE(kmem_destroy_live, "kmem_cache_destroy: cache session: 3 objects are in use") {
    struct kmem_cache *cache = session(0);
    for (int i = 0; i < 3; i++) CHECK(kmem_cache_alloc(cache, GFP_KERNEL) != NULL);
    kmem_cache_destroy(cache);
}

MISUSE(kmem_destroy_twice, "kmem_cache_destroy: cache session was destroyed") {
    struct kmem_cache *cache = kmem_cache_create("session", 8, 0, 0, NULL);
    kmem_cache_destroy(cache);
    kmem_cache_destroy(cache);
}

// Also when others were made since.
MISUSE(kmem_destroyed, "kmem_cache_alloc: cache session was destroyed") {
    struct kmem_cache *cache = kmem_cache_create("session", 64, 0, 0, NULL);
    kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_destroy(cache);
    for (int i = 0; i < 10; i++) {
        struct kmem_cache *later = kmem_cache_create("later", 64, 0, 0, NULL);
        CHECK(later != NULL && later != cache);
        if (i % 2) kmem_cache_destroy(later);
    }
    (void)hide(kmem_cache_alloc(cache, GFP_KERNEL));
}

MISUSE(kmem_foreign, "kmem_cache_free: cache session: {it} is no live object of it") {
    static char memory[64];
    struct kmem_cache *cache = session(0);
    kmem_cache_free(cache, kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_free(cache, shown(memory));
}

// Also when others were freed in between.
MISUSE(kmem_free_later, "kmem_cache_free: cache session: {it} is free already (double free)") {
    struct kmem_cache *cache = session(0);
    void *objects[1000];
    for (int i = 0; i < 1000; i++) objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
    for (int i = 0; i < 900; i++) kmem_cache_free(cache, objects[i]);
    kmem_cache_free(cache, shown(objects[850]));
}

MISUSE(kmem_free_twice, "kmem_cache_free: cache session: {it} is free already (double free)") {
    struct kmem_cache *cache = session(0);
    void *object = shown(kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_free(cache, object);
    kmem_cache_free(cache, object);
}

MISUSE(kmem_inside, "kmem_cache_free: cache session: {it} points into a slab, not at an object's start") {
    struct kmem_cache *cache = session(0);
    kmem_cache_free(cache, shown((char *)kmem_cache_alloc(cache, GFP_KERNEL) + 8));
}

MISUSE(kmem_null, "kmem_cache_free: cache session: the object is NULL") {
    struct kmem_cache *cache = session(0);
    kmem_cache_free(cache, hide(NULL));
}

MISUSE(kmem_null_cache, "kmem_cache_alloc: the cache is NULL") {
    (void)hide(kmem_cache_alloc(hide(NULL), GFP_KERNEL));
}

MISUSE(kmem_panic, "kmem_cache_create: cache session: objects of no bytes") {
    (void)hide(kmem_cache_create("session", 0, 0, SLAB_PANIC, NULL));
}

MISUSE(kmem_poison, "kmem_cache_alloc: cache session: {it} was written after it was freed: 0x01 at {first}") {
    struct kmem_cache *cache = session(SLAB_POISON);
    char *object = kmem_cache_alloc(cache, GFP_KERNEL);
    shown(object + 10);
    shown(object);
    kmem_cache_free(cache, object);
    CHECK(object[10] == 0x6b);
    object[10] = 1;
    (void)hide(kmem_cache_alloc(cache, GFP_KERNEL));
}

MISUSE(kmem_pool, "kmem_cache_free: {it} is no cache") {
    struct zs_pool *pool = zs_create_pool("pages");
    kmem_cache_free((struct kmem_cache *)shown(pool), &pool);
}

MISUSE(kmem_red_zone, "kmem_cache_free: cache session: {it} was written beyond its ends: 0x01 at {first}") {
    struct kmem_cache *cache = session(SLAB_RED_ZONE);
    char *object = kmem_cache_alloc(cache, GFP_KERNEL);
    shown(object + 40);
    shown(object);
    object[40] = 1;
    kmem_cache_free(cache, object);
}

MISUSE(kmem_sheaf, "kmem_cache_destroy: cache session: 5 objects are in use") {
    struct kmem_cache *cache = session(0);
    CHECK(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 5) != NULL);
    kmem_cache_destroy(cache);
}

MISUSE(kmem_sheaf_twice, "kmem_cache_return_sheaf: cache session: {it} is no sheaf of it") {
    struct kmem_cache *cache = session(0);
    struct slab_sheaf *sheaf = shown(kmem_cache_prefill_sheaf(cache, GFP_KERNEL, 5));
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
    kmem_cache_return_sheaf(cache, GFP_KERNEL, sheaf);
}

MISUSE(kmem_users, "kmem_cache_free: cache session: {it} is free already (double free); allocated by {first}, freed by {first}") {
    struct kmem_cache *cache = session(SLAB_STORE_USER);
    shown((void *)pthread_self());
    void *object = shown(kmem_cache_alloc(cache, GFP_KERNEL));
    kmem_cache_free(cache, object);
    kmem_cache_free(cache, object);
}

MISUSE(kmem_wrong_cache, "kmem_cache_free: cache session: {it} is an object of cache request") {
    struct kmem_cache *cache = session(0), *other = kmem_cache_create("request", 40, 0, 0, NULL);
    kmem_cache_free(cache, shown(kmem_cache_alloc(other, GFP_KERNEL)));
}

MISUSE(kmem_zeroed_ctor, "kmem_cache_zalloc: cache session: objects with a constructor are not cleared") {
    struct kmem_cache *cache = kmem_cache_create("session", 40, 0, 0, detour);
    (void)hide(kmem_cache_zalloc(cache, GFP_KERNEL));
}

MISUSE(krealloc, "krealloc: cache kmalloc-128: {it} is free") {
    void *block = shown(kmalloc(100, GFP_KERNEL));
    kfree(block);
    (void)hide(krealloc(hide(block), 10000, GFP_KERNEL));
}

MISUSE(ksize, "ksize: cache kmalloc-32: {it} is free") {
    void *block = shown(kmalloc(30, GFP_KERNEL));
    kfree(block);
    (void)!ksize(hide(block));
}

MISUSE(kvfree_twice, "kvfree: {it}: the area is free already (double free)") {
    void *area = shown(kvmalloc((size_t)16 << 20, GFP_KERNEL));
    kvfree(area);
    kvfree(hide(area));
}

MISUSE(page_address, "page_address: {it} is no page, or free") {
    struct page *page;
    uint32_t offset;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_free(pool, shown(page), offset);
    (void)hide(page_address(page));
}

MISUSE(vfree_foreign, "vfree: {it}: the address is not ours") {
    vfree(vmalloc(1));
    static char memory[3 * 4096];
    vfree(shown((void *)(((uintptr_t)memory + 4095) & ~(uintptr_t)4095)));
}

MISUSE(vfree_inside, "vfree: {it}: the address is inside of the area at {first}, not its start") {
    char *area = shown(vmalloc(100000));
    vfree(shown(area + PAGE_SIZE));
}

MISUSE(vfree_twice, "vfree: {it}: the area is free already (double free)") {
    void *area = shown(vmalloc(100000));
    vfree(area);
    vfree(hide(area));
}

MISUSE(vmap, "vmap: {it} is no page of alloc_page(), or free") {
    struct page *page = shown(alloc_page(GFP_KERNEL));
    __free_page(page);
    (void)hide(vmap(&page, 1, VM_MAP, PAGE_KERNEL));
}

MISUSE(vrealloc, "vrealloc: {it}: the area is free already (double free)") {
    void *area = shown(vmalloc(100));
    vfree(area);
    (void)hide(vrealloc(hide(area), 10000, GFP_KERNEL));
}

MISUSE(vunmap_vmalloc, "vunmap: {it}: the area was made by vmalloc: vfree takes it") {
    vunmap(shown(vmalloc(10000)));
}

MISUSE(xv_destroy_live, "xv_destroy_pool: 1 object is in use") {
    struct page *page;
    uint32_t offset;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_destroy_pool(pool);
}

MISUSE(xv_destroy_twice, "xv_destroy_pool: an xvmalloc pool was destroyed") {
    struct xv_pool *pool = xv_create_pool();
    xv_destroy_pool(pool);
    xv_destroy_pool(pool);
}

MISUSE(xv_destroyed, "xv_malloc: an xvmalloc pool was destroyed") {
    struct xv_pool *pool = xv_create_pool();
    struct page *page;
    uint32_t offset;
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_free(pool, page, offset);
    xv_destroy_pool(pool);
    (void)!xv_malloc(pool, 100, &page, &offset, GFP_KERNEL);
}

MISUSE(xv_foreign, "xv_free: page {it}, offset 4: the object is none of this pool's") {
    struct page *page;
    uint32_t offset;
    struct xv_pool *pool = xv_create_pool(), *other = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_free(other, shown(page), offset);
}

MISUSE(xv_free_twice, "xv_free: page {it}, offset 4: the object is free already (double free)") {
    struct page *page, *other;
    uint32_t offset, behind;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0 && offset == 4);
    CHECK(xv_malloc(pool, 100, &other, &behind, GFP_KERNEL) == 0);
    xv_free(pool, shown(page), offset);
    xv_free(pool, page, offset);
}

MISUSE(zs_destroy_live, "zs_destroy_pool: pool zram0: 2 objects are in use") {
    struct zs_pool *pool = zs_create_pool("zram0");
    CHECK(!IS_ERR_VALUE(zs_malloc(pool, 100, GFP_KERNEL)) && !IS_ERR_VALUE(zs_malloc(pool, 4096, GFP_KERNEL)));
    zs_destroy_pool(pool);
}

MISUSE(zs_destroy_twice, "zs_destroy_pool: pool pages was destroyed") {
    struct zs_pool *pool = zs_create_pool("pages");
    zs_destroy_pool(pool);
    zs_destroy_pool(pool);
}

MISUSE(zs_destroyed, "zs_malloc: pool pages was destroyed") {
    struct zs_pool *pool = zs_create_pool("pages");
    zs_free(pool, zs_malloc(pool, 100, GFP_KERNEL));
    zs_destroy_pool(pool);
    (void)!zs_malloc(pool, 100, GFP_KERNEL);
}

MISUSE(zs_foreign, "zs_free: pool zram0: handle 0x7b is none of this pool's") {
    struct zs_pool *pool = zs_create_pool("zram0");
    zs_free(pool, 123);
}

MISUSE(zs_of_another_pool, "zs_free: pool zram1: handle {it} is none of this pool's") {
    struct zs_pool *one = zs_create_pool("zram0"), *two = zs_create_pool("zram1");
    CHECK(!IS_ERR_VALUE(zs_malloc(two, 100, GFP_KERNEL)));
    zs_free(two, shown_handle(zs_malloc(one, 100, GFP_KERNEL)));
}

MISUSE(zs_free_read, "zs_free: pool zram0: handle {it} is being read") {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    CHECK(zs_obj_read_begin(pool, handle, NULL) != NULL);
    zs_free(pool, handle);
}

MISUSE(zs_free_twice, "zs_free: pool zram0: handle {it} is free already (stale handle)") {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    zs_free(pool, handle);
    zs_free(pool, handle);
}

MISUSE(zs_nofail, "zs_malloc: no memory for 3000 bytes, which must not fail") {
    struct zs_pool *pool = zs_create_pool("zram0");
    refuse_above((size_t)64 << 20);
    for (;;) CHECK(!IS_ERR_VALUE(zs_malloc(pool, 3000, GFP_KERNEL | __GFP_NOFAIL)));
}

MISUSE(zs_null, "zs_malloc: the pool is NULL") {
    (void)!zs_malloc((struct zs_pool *)hide(NULL), 100, GFP_KERNEL);
}

MISUSE(zs_read_end, "zs_obj_read_end: pool zram0: handle {it} is not being read") {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    void *bytes = zs_obj_read_begin(pool, handle, NULL);
    zs_obj_read_end(pool, handle, bytes);
    zs_obj_read_end(pool, handle, bytes);
}

// Also when its place has another object.
MISUSE(zs_stale, "zs_obj_read_begin: pool zram0: handle {it} is free already (stale handle)") {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    zs_free(pool, handle);
    CHECK(!IS_ERR_VALUE(zs_malloc(pool, 100, GFP_KERNEL)));
    (void)hide(zs_obj_read_begin(pool, handle, NULL));
}

MISUSE(zs_write_beyond, "zs_obj_write: pool zram0: handle {it} is shorter than what is written") {
    char bytes[101] = "";
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    zs_obj_write(pool, handle, bytes, 101);
}
