// xv_free: an object freed twice ends the program
// expect: heapwright: xv_free: page {it}, offset 4: the object is free already (double free)
#include "check.h"

int main(void) {
    struct page *page, *other;
    uint32_t offset, behind;
    struct xv_pool *pool = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0 && offset == 4);
    CHECK(xv_malloc(pool, 100, &other, &behind, GFP_KERNEL) == 0);
    xv_free(pool, shown(page), offset);
    xv_free(pool, page, offset);
    return 0;
}
