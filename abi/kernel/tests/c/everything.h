// A thread that does everything the header has.
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include "check.h"

enum { COUNT = 50 };

// What all use.
static struct kmem_cache *shared;
// How often each does it all.
static volatile unsigned rounds;


// Calls every function, and checks that what it was given is its own.
static void *work(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number * 77 + 1;
    void *objects[COUNT], *blocks[COUNT], *bulk[COUNT], *areas[4];
    unsigned long handles[COUNT];
    struct page *pages[COUNT], *frames[4];
    uint32_t offsets[COUNT], size;
    unsigned char bytes[3000];
    for (unsigned round = 0; round < rounds; round++) {
        struct kmem_cache *cache = kmem_cache_create("own", 8 + random_next(&seed) % 300, 0, round % 3 ? 0 : SLAB_RED_ZONE | SLAB_POISON, NULL);
        struct zs_pool *zs = zs_create_pool("own");
        struct xv_pool *xv = xv_create_pool();
        CHECK(cache && zs && xv);
        size = kmem_cache_size(cache);
        CHECK(kmem_cache_alloc_bulk(shared, GFP_KERNEL, COUNT, bulk) == COUNT);
        for (unsigned i = 0; i < COUNT; i++) {
            objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
            fill(objects[i], size, i);
            fill(bulk[i], 100, i);
            blocks[i] = kmalloc(1 + (i * 97 + round) % 3000, GFP_KERNEL);
            fill(blocks[i], ksize(blocks[i]), i);
            fill(bytes, 1 + i * 50, i);
            handles[i] = zs_malloc(zs, 1 + i * 50, GFP_KERNEL);
            CHECK(!IS_ERR_VALUE(handles[i]) && xv_malloc(xv, 1 + i * 50, &pages[i], &offsets[i], GFP_KERNEL) == 0);
            zs_obj_write(zs, handles[i], bytes, 1 + i * 50);
            fill((char *)page_address(pages[i]) + offsets[i], 1 + i * 50, i);
        }
        for (unsigned i = 0; i < 4; i++) {
            areas[i] = i % 2 ? kvmalloc((size_t)5 << 20, GFP_KERNEL) : vmalloc(10000);
            frames[i] = alloc_page(GFP_KERNEL);
            CHECK(areas[i] && frames[i]);
            fill(areas[i], 10000, i);
            fill(page_address(frames[i]), PAGE_SIZE, i);
        }
        void *map = vmap(frames, 4, VM_MAP, PAGE_KERNEL);
        CHECK(map != NULL);
        if (round % 50 == 0) CHECK(heapwright_kernel_check() == 0);
        for (unsigned i = 0; i < 4; i++) CHECK(is_filled((char *)map + i * PAGE_SIZE, PAGE_SIZE, i) && is_filled(areas[i], 10000, i));
        vunmap(map);
        for (unsigned i = 0; i < 4; i++) {
            kvfree(areas[i]);
            __free_page(frames[i]);
        }
        for (unsigned i = 0; i < COUNT; i++) {
            CHECK(is_filled(objects[i], size, i) && is_filled(bulk[i], 100, i) && is_filled(blocks[i], ksize(blocks[i]), i));
            if (i % 2)
                kmem_cache_free(cache, objects[i]);
            else
                kfree(objects[i]);
            kfree(blocks[i]);
            CHECK(is_filled((char *)page_address(pages[i]) + offsets[i], 1 + i * 50, i));
            xv_free(xv, pages[i], offsets[i]);
            if (i == COUNT / 2) zs_compact(zs);
            void *read = zs_obj_read_begin(zs, handles[i], NULL);
            CHECK(is_filled(read, 1 + i * 50, i));
            zs_obj_read_end(zs, handles[i], read);
            zs_free(zs, handles[i]);
        }
        kmem_cache_free_bulk(shared, COUNT, bulk);
        kmem_cache_destroy(cache);
        zs_destroy_pool(zs);
        xv_destroy_pool(xv);
    }
    return NULL;
}

#endif
