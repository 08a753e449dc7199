// kmalloc_size_roundup, ksize: the kernel's sizes; a block has all that ksize() says, aligned as its size
#include "check.h"

static const size_t sizes[] = {8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048, 4096, 8192};

static size_t expected(size_t size) {
    if (size == 0) return 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (size <= sizes[i]) return sizes[i];
    size_t pages = PAGE_SIZE;
    while (pages < size) pages *= 2;
    return size > KMALLOC_MAX_SIZE ? size : pages;
}

int main(void) {
    for (size_t size = 0; size <= 20000; size++) CHECK(kmalloc_size_roundup(size) == expected(size));
    for (size_t size = 20000; size <= KMALLOC_MAX_SIZE; size += 4099) CHECK(kmalloc_size_roundup(size) == expected(size));
    CHECK(kmalloc_size_roundup(KMALLOC_MAX_SIZE) == KMALLOC_MAX_SIZE);
    CHECK(kmalloc_size_roundup(KMALLOC_MAX_SIZE + 1) == KMALLOC_MAX_SIZE + 1);
    for (size_t size = 1; size <= 70000; size += size < 8300 ? 1 : 997) {
        void *block = kmalloc(size, GFP_KERNEL);
        CHECK(block != NULL && ksize(block) == expected(size));
        size_t usable = ksize(block), natural = usable & -usable;
        CHECK(aligned(block, natural < PAGE_SIZE ? natural : PAGE_SIZE));
        fill(block, usable, (unsigned)size);
        CHECK(is_filled(block, usable, (unsigned)size));
        kfree(block);
    }
    CHECK(ksize(NULL) == 0 && ksize(ZERO_SIZE_PTR) == 0);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
