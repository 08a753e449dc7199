// xv_free: a page of another pool ends the program
// expect: heapwright: xv_free: page {it}, offset 4: the object is none of this pool's
#include "check.h"

int main(void) {
    struct page *page;
    uint32_t offset;
    struct xv_pool *pool = xv_create_pool(), *other = xv_create_pool();
    CHECK(xv_malloc(pool, 100, &page, &offset, GFP_KERNEL) == 0);
    xv_free(other, shown(page), offset);
    return 0;
}
