// fork: the child shares its parent's areas; what it frees of them stays the parent's, what it allocates is its own
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { SIZE = 100000 };

static void end_well(pid_t child) {
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void) {
    unsigned char *area = vmalloc(SIZE), *other;
    struct page *page = alloc_page(GFP_KERNEL | __GFP_ZERO);
    unsigned char *shown_page = vmap(&page, 1, VM_MAP, PAGE_KERNEL);
    fill(area, SIZE, 1);
    pid_t child = fork();
    if (child == 0) {
        CHECK(is_filled(area, SIZE, 1) && is_vmalloc_addr(area));
        area[0] = 77;
        other = vmalloc(SIZE);
        CHECK(other != NULL && other != area && is_vmalloc_addr(other));
        fill(other, SIZE, 2);
        vfree(area);
        vunmap(shown_page);
        __free_page(page);
        CHECK(is_filled(other, SIZE, 2) && heapwright_kernel_check() == 0);
        pid_t grandchild = fork();
        if (grandchild == 0) {
            CHECK(is_vmalloc_addr(area) && is_filled(other, SIZE, 2));
            vfree(other);
            vfree(area);
            struct page *another = alloc_page(GFP_KERNEL);
            memset(page_address(another), 1, PAGE_SIZE);
            __free_page(another);
            _exit(heapwright_kernel_check() != 0);
        }
        end_well(grandchild);
        CHECK(is_filled(other, SIZE, 2));
        vfree(other);
        _exit(0);
    }
    end_well(child);
    CHECK(area[0] == 77);
    area[0] = pattern_at(0, 1);
    CHECK(is_filled(area, SIZE, 1) && heapwright_kernel_check() == 0);
    vunmap(shown_page);
    __free_page(page);
    vfree(area);
    return 0;
}
