// vmalloc: whole pages at a page's multiple, of any size; vzalloc's are 0; size 0 is NULL
#include "check.h"

enum { COUNT = 300 };

int main(void) {
    static unsigned char *areas[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        size_t size = 1 + (size_t)i * i * 7;
        areas[i] = i % 2 ? vmalloc(size) : vzalloc(size);
        CHECK(areas[i] != NULL && aligned(areas[i], PAGE_SIZE) && is_vmalloc_addr(areas[i]) && is_vmalloc_addr(areas[i] + size - 1));
        if (i % 2 == 0) CHECK(is_all(areas[i], size, 0));
        fill(areas[i], size, i);
    }
    CHECK(heapwright_kernel_check() == 0);
    for (unsigned i = 0; i < COUNT; i++) {
        CHECK(is_filled(areas[i], 1 + (size_t)i * i * 7, i));
        vfree(areas[i]);
    }
    // What is used again is 0 again.
    for (unsigned i = 0; i < COUNT; i++) {
        areas[i] = vzalloc(20000);
        CHECK(is_all(areas[i], 20000, 0));
        fill(areas[i], 20000, i);
    }
    for (unsigned i = 0; i < COUNT; i++) vfree(areas[i]);
    volatile size_t none = 0, most = SIZE_MAX;
    CHECK(vmalloc(none) == NULL && vzalloc(none) == NULL && vmalloc(most) == NULL);
    int local;
    CHECK(!is_vmalloc_addr(NULL) && !is_vmalloc_addr(&local));
    vfree(NULL);
    vunmap(NULL);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
