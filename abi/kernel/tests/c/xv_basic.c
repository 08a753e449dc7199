// xv_*: an object is where page and offset say, all 0, keeps what is written and its exact size, and is counted
#include "check.h"

enum { COUNT = 4092 };

int main(void) {
    static struct page *pages[COUNT + 1];
    static uint32_t offsets[COUNT + 1];
    struct xv_pool *pool = xv_create_pool();
    CHECK(pool != NULL && xv_get_total_size_bytes(pool) == 0);
    for (uint32_t size = 1; size <= COUNT; size++) {
        CHECK(xv_malloc(pool, size, &pages[size], &offsets[size], GFP_NOIO | __GFP_HIGHMEM) == 0);
        CHECK(offsets[size] % 4 == 0 && offsets[size] + size <= PAGE_SIZE);
        char *address = page_address(pages[size]);
        CHECK(aligned(address, PAGE_SIZE));
        char *object = address + offsets[size];
        CHECK(xv_get_object_size(object) == size && is_all(object, size, 0));
        fill(object, size, size);
    }
    CHECK(heapwright_kernel_check() == 0);
    uint64_t bytes = xv_get_total_size_bytes(pool), least = (uint64_t)COUNT * (COUNT + 1) / 2;
    CHECK(bytes % PAGE_SIZE == 0 && bytes > least && bytes < least * 3 / 2);
    for (uint32_t size = 1; size <= COUNT; size++) {
        char *address = kmap_local_page(pages[size]);
        CHECK(is_filled(address + offsets[size], size, size));
        kunmap_local(address);
        xv_free(pool, pages[size], offsets[size]);
    }
    CHECK(xv_get_total_size_bytes(pool) == 0 && heapwright_kernel_check() == 0);
    xv_destroy_pool(pool);
    return 0;
}
