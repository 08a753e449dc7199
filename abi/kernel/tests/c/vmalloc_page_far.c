// alloc_page: costs a page wherever its frame is, also behind gigabytes of areas
#include "check.h"

int main(void) {
    void *area = vmalloc((size_t)4 << 30);
    if (!area) return 0; // a machine with less
    unsigned long before = resident_kib();
    struct page *page = alloc_page(GFP_KERNEL);
    CHECK(page != NULL);
    memset(page_address(page), 1, PAGE_SIZE);
    // What is known of so many frames takes 16 MiB of addresses; the kernel counts resident memory to some 256 KiB.
    CHECK(resident_kib() < before + 1024);
    __free_page(page);
    vfree(area);
    return 0;
}
