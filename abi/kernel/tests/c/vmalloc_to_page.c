// vmalloc_to_page: the page behind each page of an area, whose bytes are at page_address() too
#include "check.h"

enum { COUNT = 20 };

int main(void) {
    unsigned char *area = vmalloc(COUNT * PAGE_SIZE);
    struct page *pages[COUNT];
    for (int i = 0; i < COUNT; i++) {
        pages[i] = vmalloc_to_page(area + i * PAGE_SIZE + i);
        CHECK(pages[i] != NULL);
        for (int j = 0; j < i; j++) CHECK(pages[i] != pages[j]);
        memset(area + i * PAGE_SIZE, i, PAGE_SIZE);
        CHECK(is_all(page_address(pages[i]), PAGE_SIZE, (unsigned char)i));
    }
    *(unsigned char *)page_address(pages[5]) = 123;
    CHECK(area[5 * PAGE_SIZE] == 123);
    // The area has them alone.
    CHECK(vmap(pages, COUNT, VM_MAP, PAGE_KERNEL) == NULL);
    int local;
    CHECK(vmalloc_to_page(NULL) == NULL && vmalloc_to_page(&local) == NULL);
    CHECK(vmalloc_to_page(area + COUNT * PAGE_SIZE) == NULL);
    vfree(area);
    CHECK(vmalloc_to_page(area) == NULL);
    return 0;
}
