// vmap: shows pages side by side in any order, one of them up to 124 times; they are the same memory everywhere
#include "check.h"

enum { COUNT = 64, MOST = 124 };

static void show_often(void) {
    struct page *page = alloc_page(GFP_KERNEL), *pages[MOST];
    for (int i = 0; i < MOST; i++) pages[i] = page;
    unsigned char *area = vmap(pages, MOST, VM_MAP, PAGE_KERNEL);
    CHECK(area != NULL && vmap(&page, 1, VM_MAP, PAGE_KERNEL) == NULL);
    vunmap(area);
    area = vmap(&page, 1, VM_MAP, PAGE_KERNEL);
    CHECK(area != NULL && vmap(pages, MOST, VM_MAP, PAGE_KERNEL) == NULL);
    vunmap(area);
    __free_page(page);
}

int main(void) {
    struct page *pages[COUNT], *backwards[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        pages[i] = alloc_page(GFP_KERNEL | __GFP_ZERO);
        CHECK(pages[i] != NULL && is_all(page_address(pages[i]), PAGE_SIZE, 0));
        memset(page_address(pages[i]), i + 1, PAGE_SIZE);
    }
    for (int i = 0; i < COUNT; i++) backwards[i] = pages[COUNT - 1 - i];
    backwards[COUNT] = pages[0];
    unsigned char *area = vmap(pages, COUNT, VM_MAP, PAGE_KERNEL), *other = vmap(backwards, COUNT + 1, VM_MAP, PAGE_KERNEL);
    CHECK(area && other && is_vmalloc_addr(area) && aligned(area, PAGE_SIZE));
    for (int i = 0; i < COUNT; i++) {
        CHECK(is_all(area + i * PAGE_SIZE, PAGE_SIZE, (unsigned char)(i + 1)));
        CHECK(is_all(other + i * PAGE_SIZE, PAGE_SIZE, (unsigned char)(COUNT - i)));
        CHECK(vmalloc_to_page(area + i * PAGE_SIZE + 123) == pages[i]);
    }
    area[0] = 99;
    CHECK(other[(COUNT - 1) * PAGE_SIZE] == 99 && other[COUNT * PAGE_SIZE] == 99);
    CHECK(*(unsigned char *)page_address(pages[0]) == 99);
    CHECK(vmap(pages, 0, VM_MAP, PAGE_KERNEL) == NULL);
    vunmap(area);
    CHECK(other[(COUNT - 1) * PAGE_SIZE] == 99);
    vunmap(other);
    CHECK(*(unsigned char *)page_address(pages[0]) == 99);
    for (int i = 0; i < COUNT; i++) __free_page(pages[i]);
    __free_page(NULL);
    show_often();
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
