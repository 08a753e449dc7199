// kvmalloc: kmalloc's memory while that has such a block, vmalloc's otherwise; kvfree knows which
#include "check.h"

int main(void) {
    for (size_t size = 1; size <= (size_t)64 << 20; size *= 4) {
        unsigned char *block = kvzalloc(size, GFP_KERNEL);
        CHECK(block != NULL && is_all(block, size, 0));
        fill(block, size, 1);
        CHECK(is_filled(block, size, 1));
        CHECK(is_vmalloc_addr(block) || size <= KMALLOC_MAX_SIZE);
        CHECK(!is_vmalloc_addr(block) || size > PAGE_SIZE);
        kvfree(block);
    }
    void *block = kvcalloc(100, 100, GFP_KERNEL);
    CHECK(is_all(block, 10000, 0));
    kvfree(block);
    block = kvmalloc_array(3, 1000, GFP_KERNEL);
    kvfree(block);
    size_t none = 0;
    CHECK(ZERO_OR_NULL_PTR(kvmalloc(none, GFP_KERNEL)));
    kvfree(ZERO_SIZE_PTR);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
