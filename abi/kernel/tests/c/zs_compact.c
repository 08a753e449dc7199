// zs_compact: handles and contents are the same afterwards, pages go back, and are counted
#include "check.h"

enum { COUNT = 20000 };

int main(void) {
    static unsigned long handles[COUNT];
    static unsigned char bytes[4096];
    struct zs_pool *pool = zs_create_pool("pool");
    uint32_t seed = 1;
    for (unsigned i = 0; i < COUNT; i++) {
        size_t size = 32 + i * 7 % 3000;
        handles[i] = zs_malloc(pool, size, GFP_KERNEL);
        CHECK(!IS_ERR_VALUE(handles[i]));
        fill(bytes, size, i);
        zs_obj_write(pool, handles[i], bytes, size);
    }
    for (unsigned i = 0; i < COUNT; i++)
        if (random_next(&seed) % 2) zs_free(pool, handles[i]), handles[i] = 0;
    // One chain stays because an object of it is read.
    unsigned held = 0;
    while (!handles[held]) held++;
    void *read = zs_obj_read_begin(pool, handles[held], NULL);
    unsigned long before = zs_get_total_pages(pool), gone = zs_compact(pool);
    CHECK(gone > before / 3 && zs_get_total_pages(pool) == before - gone);
    CHECK(is_filled(read, 32 + held * 7 % 3000, held));
    zs_obj_read_end(pool, handles[held], read);
    struct zs_pool_stats stats;
    zs_pool_stats(pool, &stats);
    CHECK(stats.pages_compacted == gone);
    gone += zs_compact(pool);
    zs_pool_stats(pool, &stats);
    CHECK(stats.pages_compacted == gone && zs_compact(pool) == 0);
    CHECK(heapwright_kernel_check() == 0);
    for (unsigned i = 0; i < COUNT; i++) {
        if (!handles[i]) continue;
        void *at = zs_obj_read_begin(pool, handles[i], NULL);
        CHECK(is_filled(at, 32 + i * 7 % 3000, i));
        zs_obj_read_end(pool, handles[i], at);
        zs_free(pool, handles[i]);
    }
    CHECK(zs_get_total_pages(pool) == 0);
    zs_destroy_pool(pool);
    return 0;
}
