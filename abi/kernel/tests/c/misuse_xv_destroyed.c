// xv_malloc: a pool that was destroyed ends the program
// expect: heapwright: xv_malloc: an xvmalloc pool was destroyed
#include "check.h"

int main(void) {
    struct xv_pool *pool = xv_create_pool();
    struct page *page;
    uint32_t offset;
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_free(pool, page, offset);
    xv_destroy_pool(pool);
    (void)!xv_malloc(pool, 100, &page, &offset, GFP_KERNEL);
    return 0;
}
