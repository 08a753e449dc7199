// __free_page: a page given back twice ends the program
// expect: heapwright: __free_page: {it} is no page of alloc_page(), or free
#include "check.h"

int main(void) {
    struct page *page = shown(alloc_page(GFP_KERNEL));
    __free_page(page);
    __free_page(page);
    return 0;
}
