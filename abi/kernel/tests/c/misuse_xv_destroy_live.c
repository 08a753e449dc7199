// xv_destroy_pool: objects in use end the program
// expect: heapwright: xv_destroy_pool: 1 object is in use
#include "check.h"

int main(void) {
    struct page *page;
    uint32_t offset;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_destroy_pool(pool);
    return 0;
}
