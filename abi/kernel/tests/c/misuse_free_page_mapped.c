// __free_page: a page that vmap() shows ends the program
// expect: heapwright: __free_page: {it} is mapped by vmap()
#include "check.h"

int main(void) {
    struct page *page = shown(alloc_page(GFP_KERNEL));
    CHECK(vmap(&page, 1, VM_MAP, PAGE_KERNEL) != NULL);
    __free_page(page);
    return 0;
}
