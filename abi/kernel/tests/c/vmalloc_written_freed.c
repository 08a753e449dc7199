// vzalloc() is zero also where a broken program wrote to what it had freed
#include "check.h"

int main(void) {
    unsigned char *area = hide(vmalloc(PAGE_SIZE));
    vfree(area);
    memset(area, 9, PAGE_SIZE);
    unsigned char *again = vzalloc(PAGE_SIZE);
    CHECK(again == area && is_all(again, PAGE_SIZE, 0));
    vfree(again);
    struct page *page = alloc_page(GFP_KERNEL);
    unsigned char *at = page_address(page);
    __free_page(page);
    memset(at, 9, PAGE_SIZE);
    unsigned char *pages = vzalloc(64 * PAGE_SIZE);
    CHECK(pages != NULL && is_all(pages, 64 * PAGE_SIZE, 0));
    vfree(pages);
    return 0;
}
