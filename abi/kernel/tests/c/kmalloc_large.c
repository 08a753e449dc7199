// kmalloc: blocks of whole pages up to KMALLOC_MAX_SIZE, NULL above; products that wrap are NULL
#include "check.h"

int main(void) {
    for (size_t size = 8193; size <= KMALLOC_MAX_SIZE; size = size * 2 - 1) {
        unsigned char *block = kzalloc(size, GFP_KERNEL);
        CHECK(block != NULL && aligned(block, PAGE_SIZE) && is_all(block, size, 0));
        fill(block, size, 1);
        CHECK(is_filled(block, size, 1));
        kfree(block);
    }
    volatile size_t above = KMALLOC_MAX_SIZE + 1, half = SIZE_MAX / 2 + 1, most = SIZE_MAX;
    CHECK(kmalloc(above, GFP_KERNEL) == NULL && kmalloc(most, GFP_KERNEL) == NULL);
    CHECK(kmalloc_array(half, 2, GFP_KERNEL) == NULL && kcalloc(2, half, GFP_KERNEL) == NULL);
    CHECK(kvmalloc_array(half, 4, GFP_KERNEL) == NULL && kvcalloc(half, 4, GFP_KERNEL) == NULL);
    char *block = kmalloc(100, GFP_KERNEL);
    CHECK(krealloc_array(block, half, 2, GFP_KERNEL) == NULL && krealloc(block, above, GFP_KERNEL) == NULL);
    kfree(block);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
