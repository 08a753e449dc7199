// a program that closes all descriptors keeps what it has, gets more, and finds its own files untouched
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

enum { SIZE = 100000, FILE_SIZE = 1 << 20 };

int main(void) {
    static unsigned char bytes[FILE_SIZE];
    char name[] = "/tmp/heapwright-closed-XXXXXX";
    unsigned char *area = vmalloc(SIZE), *freed = vmalloc(SIZE);
    struct page *page = alloc_page(GFP_KERNEL);
    unsigned char *at = page_address(page);
    fill(area, SIZE, 1);
    fill(freed, SIZE, 2);
    fill(at, PAGE_SIZE, 3);
    int file = mkstemp(name), last = 3;
    CHECK(file >= 0 && unlink(name) == 0);
    fill(bytes, FILE_SIZE, 4);
    CHECK(write(file, bytes, FILE_SIZE) == FILE_SIZE);
    // All numbers are the program's file now, so that of the frames too.
    for (int number = 3; number < 500; number++)
        if (number != file && dup2(file, number) == number) last = number;
    CHECK(last > 300);
    vfree(freed);
    unsigned char *more = vmalloc(3 * SIZE), *zero = vzalloc(SIZE);
    CHECK(more != NULL && zero != NULL && is_all(zero, SIZE, 0));
    fill(more, 3 * SIZE, 5);
    fill(zero, SIZE, 6);
    CHECK(is_filled(area, SIZE, 1) && is_filled(at, PAGE_SIZE, 3) && is_filled(more, 3 * SIZE, 5));
    struct page *another = alloc_page(GFP_KERNEL | __GFP_ZERO);
    CHECK(another != NULL && is_all(page_address(another), PAGE_SIZE, 0));
    __free_page(another);
    __free_page(page);
    vfree(area);
    vfree(more);
    vfree(zero);
    CHECK(heapwright_kernel_check() == 0);
    CHECK(pread(file, bytes, FILE_SIZE, 0) == FILE_SIZE && is_filled(bytes, FILE_SIZE, 4));
    return 0;
}
