// vmalloc: where addresses are limited it is NULL when there are no more; areas keep their bytes
#include "check.h"

enum { MOST = 4000, SIZE = 1 << 20 };

int main(void) {
    static unsigned char *areas[MOST];
    struct rlimit limit = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    unsigned count = 0;
    for (; count < MOST && (areas[count] = vmalloc(SIZE)) != NULL; count++) areas[count][SIZE - 1] = (unsigned char)count;
    CHECK(count > 50 && count < MOST && heapwright_kernel_check() == 0);
    for (unsigned i = 0; i < count; i++) CHECK(areas[i][SIZE - 1] == (unsigned char)i);
    vfree(areas[--count]);
    CHECK((areas[count++] = vmalloc(SIZE)) != NULL);
    for (unsigned i = 0; i < count; i++) vfree(areas[i]);
    struct page *page = alloc_page(GFP_KERNEL);
    CHECK(page != NULL && memset(page_address(page), 1, PAGE_SIZE));
    __free_page(page);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
