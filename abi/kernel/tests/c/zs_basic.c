// zs_*: an object of 1 to 4,096 bytes is all 0, keeps what is written, and is counted
#include "check.h"

enum { COUNT = 4096 };

int main(void) {
    static unsigned char bytes[4096];
    static unsigned long handles[COUNT + 1];
    struct zs_pool *pool = zs_create_pool("zram0");
    CHECK(pool != NULL && zs_get_total_pages(pool) == 0);
    for (size_t size = 1; size <= COUNT; size++) {
        handles[size] = zs_malloc(pool, size, GFP_NOIO | __GFP_HIGHMEM | __GFP_MOVABLE);
        CHECK(!IS_ERR_VALUE(handles[size]) && handles[size] != 0);
        void *empty = zs_obj_read_begin(pool, handles[size], NULL);
        CHECK(is_all(empty, size, 0));
        zs_obj_read_end(pool, handles[size], empty);
        fill(bytes, size, (unsigned)size);
        zs_obj_write(pool, handles[size], bytes, size);
    }
    CHECK(heapwright_kernel_check() == 0);
    // 97 of 100 bytes are payload when all chains are full; of each of the 119 classes one may not be, of 8 pages at most.
    unsigned long pages = zs_get_total_pages(pool), least = (unsigned long)COUNT * (COUNT + 1) / 2 / 4096;
    CHECK(pages > least && pages < least * 100 / 97 + 119 * 8);
    for (size_t size = 1; size <= COUNT; size++) {
        void *read = zs_obj_read_begin(pool, handles[size], bytes);
        CHECK(is_filled(read, size, (unsigned)size));
        zs_obj_read_end(pool, handles[size], read);
        zs_free(pool, handles[size]);
    }
    CHECK(zs_get_total_pages(pool) == 0 && heapwright_kernel_check() == 0);
    zs_free(pool, 0);
    zs_free(pool, (unsigned long)-ENOMEM);
    zs_destroy_pool(pool);
    return 0;
}
