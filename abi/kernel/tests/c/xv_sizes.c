// xv_malloc: size 0 is -EINVAL, above 4,092 -ENOSPC; 4,089 to 4,092 are granted
#include "check.h"

int main(void) {
    struct page *page = (struct page *)hide(&page);
    uint32_t offset = 7;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 0, &page, &offset, GFP_KERNEL) == -EINVAL && page == NULL && offset == 0);
    CHECK(xv_malloc(pool, 4093, &page, &offset, GFP_KERNEL) == -ENOSPC && page == NULL && offset == 0);
    CHECK(xv_malloc(pool, UINT32_MAX, &page, &offset, GFP_KERNEL) == -ENOSPC);
    CHECK(xv_get_total_size_bytes(pool) == 0);
    for (uint32_t size = 4085; size <= 4092; size++) {
        CHECK(xv_malloc(pool, size, &page, &offset, GFP_KERNEL) == 0 && offset == 4);
        CHECK(xv_get_total_size_bytes(pool) == PAGE_SIZE);
        xv_free(pool, page, offset);
        CHECK(xv_get_total_size_bytes(pool) == 0);
    }
    // Two of 2,044 bytes share a page, two of 2,045 do not.
    struct page *other;
    uint32_t behind;
    CHECK(xv_malloc(pool, 2044, &page, &offset, GFP_KERNEL) == 0 && xv_malloc(pool, 2044, &other, &behind, GFP_KERNEL) == 0);
    CHECK(page == other && xv_get_total_size_bytes(pool) == PAGE_SIZE);
    xv_free(pool, page, offset);
    xv_free(pool, other, behind);
    CHECK(xv_malloc(pool, 2045, &page, &offset, GFP_KERNEL) == 0 && xv_malloc(pool, 2045, &other, &behind, GFP_KERNEL) == 0);
    CHECK(page != other && xv_get_total_size_bytes(pool) == 2 * PAGE_SIZE);
    xv_free(pool, page, offset);
    xv_free(pool, other, behind);
    xv_destroy_pool(pool);
    return 0;
}
