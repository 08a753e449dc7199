// a program that closes all descriptors keeps what it has, gets more, and finds its own files untouched
#include <fcntl.h>
#include <unistd.h>

#include "check.h"

enum { SIZE = 100000, FILE_SIZE = 1 << 20, LARGE = 5 << 20 };

// As a daemon does: that of the frames too, whatever its number.
static void close_all(void) {
    for (int number = 3; number < 2000; number++) close(number);
}

static void resize(void) {
    unsigned char *area = vmalloc(SIZE), *same = vmalloc(SIZE);
    CHECK(area != NULL && same != NULL);
    fill(area, SIZE, 7);
    fill(same, SIZE, 8);
    close_all();
    CHECK(vrealloc(same, SIZE / 2, GFP_KERNEL) == same && is_filled(same, SIZE / 2, 8));
    area = vrealloc(area, 2 * SIZE, GFP_KERNEL | __GFP_ZERO);
    CHECK(area != NULL && is_filled(area, SIZE, 7) && is_all(area + SIZE, SIZE, 0));
    fill(area, 2 * SIZE, 9);
    // What is older by now, and what is not.
    same = vrealloc(same, SIZE, GFP_KERNEL);
    area = vrealloc(area, 3 * SIZE, GFP_KERNEL);
    CHECK(same != NULL && is_filled(same, SIZE / 2, 8) && area != NULL && is_filled(area, 2 * SIZE, 9));
    unsigned char *large = kvmalloc(LARGE, GFP_KERNEL);
    CHECK(large != NULL);
    fill(large, LARGE, 10);
    close_all();
    large = kvrealloc(large, 2 * LARGE, GFP_KERNEL);
    CHECK(large != NULL && is_filled(large, LARGE, 10));
    CHECK(is_filled(same, SIZE / 2, 8) && is_filled(area, 2 * SIZE, 9));
    vfree(same);
    vfree(area);
    kvfree(large);
    CHECK(heapwright_kernel_check() == 0);
}

static void map(void) {
    struct page *pages[2] = {alloc_page(GFP_KERNEL), alloc_page(GFP_KERNEL)};
    CHECK(pages[0] != NULL && pages[1] != NULL);
    fill(page_address(pages[0]), PAGE_SIZE, 11);
    close_all();
    CHECK(vmap(pages, 2, VM_MAP, PAGE_KERNEL) == NULL);
    struct page *others[2] = {alloc_page(GFP_KERNEL), alloc_page(GFP_KERNEL)};
    CHECK(others[0] != NULL && others[1] != NULL);
    unsigned char *area = vmap(others, 2, VM_MAP, PAGE_KERNEL);
    CHECK(area != NULL);
    fill(area, PAGE_SIZE, 12);
    CHECK(is_filled(page_address(others[0]), PAGE_SIZE, 12) && is_filled(page_address(pages[0]), PAGE_SIZE, 11));
    vunmap(area);
    for (int i = 0; i < 2; i++) {
        __free_page(pages[i]);
        __free_page(others[i]);
    }
    CHECK(heapwright_kernel_check() == 0);
}

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
    resize();
    map();
    return 0;
}
