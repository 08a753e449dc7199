// vrealloc, kvrealloc: contents are kept, what is gained is 0 where asked for, and a refusal changes nothing
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int main(void) {
    unsigned char *area = vrealloc(NULL, 5000, GFP_KERNEL);
    fill(area, 5000, 1);
    // Larger, with what was behind the end made 0 too.
    area = vrealloc(area, 3000, GFP_KERNEL);
    CHECK(is_filled(area, 3000, 1));
    area = vrealloc(area, 100000, GFP_KERNEL | __GFP_ZERO);
    CHECK(is_filled(area, 3000, 1) && is_all(area + 3000, 97000, 0) && is_vmalloc_addr(area));
    fill(area, 100000, 2);
    // The pages that stay are the same, those that go are none any more.
    struct page *first = vmalloc_to_page(area), *last = vmalloc_to_page(area + 99999);
    CHECK(first && last && *(unsigned char *)page_address(last) == area[98304]);
    area = vrealloc(area, 8193, GFP_KERNEL);
    CHECK(is_filled(area, 8193, 2) && vmalloc_to_page(area) == first && vmalloc_to_page(area + 8192) != NULL);
    CHECK(vrealloc(area, SIZE_MAX / 2, GFP_KERNEL) == NULL && is_filled(area, 8193, 2));
    pid_t child = fork();
    if (child == 0) {
        unsigned char *own = vrealloc(area, 20000, GFP_KERNEL | __GFP_ZERO);
        CHECK(own != area && is_filled(own, 8193, 2) && is_all(own + 8193, 20000 - 8193, 0));
        memset(own, 0, 20000);
        vfree(own);
        _exit(heapwright_kernel_check() != 0);
    }
    int status;
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0 && is_filled(area, 8193, 2));
    CHECK(vrealloc(area, 0, GFP_KERNEL) == NULL);

    unsigned char *block = kvrealloc(NULL, 100, GFP_KERNEL);
    fill(block, 100, 3);
    block = kvrealloc(block, 5000, GFP_KERNEL);
    CHECK(is_filled(block, 100, 3) && !is_vmalloc_addr(block) && ksize(block) == 8192);
    fill(block, 8192, 4);
    CHECK(kvrealloc(block, SIZE_MAX / 2, GFP_KERNEL) == NULL && is_filled(block, 8192, 4));
    block = kvrealloc(block, KMALLOC_MAX_SIZE + 1, GFP_KERNEL | __GFP_ZERO);
    CHECK(is_vmalloc_addr(block) && is_filled(block, 8192, 4) && is_all(block + 8192, KMALLOC_MAX_SIZE + 1 - 8192, 0));
    block = kvrealloc(block, 10, GFP_KERNEL);
    CHECK(is_filled(block, 10, 4));
    kvfree(block);
    CHECK(kvrealloc(kvmalloc(10, GFP_KERNEL), 0, GFP_KERNEL) == ZERO_SIZE_PTR && heapwright_kernel_check() == 0);
    return 0;
}
