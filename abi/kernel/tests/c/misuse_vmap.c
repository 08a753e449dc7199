// vmap: a page that was given back ends the program
// expect: heapwright: vmap: {it} is no page of alloc_page(), or free
#include "check.h"

int main(void) {
    struct page *page = shown(alloc_page(GFP_KERNEL));
    __free_page(page);
    return vmap(&page, 1, VM_MAP, PAGE_KERNEL) == NULL;
}
