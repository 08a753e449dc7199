// page_address: a page that went back ends the program
// expect: heapwright: page_address: {it} is no page, or free
#include "check.h"

int main(void) {
    struct page *page;
    uint32_t offset;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_free(pool, shown(page), offset);
    return page_address(page) == NULL;
}
