// ksize: all of a block's bytes may be used, also where the compiler looks at how many were asked for
// build: -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
#include "check.h"

// Called where the compiler sees which function made the block.
#define ALL_OF(made)                                             \
    do {                                                         \
        char *block = (made);                                    \
        CHECK(block != NULL && ksize(block) == 128);             \
        memset(block, 1, ksize(block));                          \
        CHECK(is_all(block, 128, 1));                            \
        kfree(block);                                            \
    } while (0)

int main(void) {
    static const char bytes[100] = {0};
    ALL_OF(kmalloc(100, GFP_KERNEL));
    ALL_OF(kzalloc(100, GFP_KERNEL));
    ALL_OF(kmalloc_array(10, 10, GFP_KERNEL));
    ALL_OF(kcalloc(10, 10, GFP_KERNEL));
    ALL_OF(kmalloc_node(100, GFP_KERNEL, NUMA_NO_NODE));
    ALL_OF(krealloc(NULL, 100, GFP_KERNEL));
    ALL_OF(krealloc_array(NULL, 10, 10, GFP_KERNEL));
    ALL_OF(kmemdup(bytes, sizeof bytes, GFP_KERNEL));
    ALL_OF(kvmalloc(100, GFP_KERNEL));
    ALL_OF(kvzalloc(100, GFP_KERNEL));
    ALL_OF(kvmalloc_array(10, 10, GFP_KERNEL));
    ALL_OF(kvcalloc(10, 10, GFP_KERNEL));
    ALL_OF(kvrealloc(NULL, 100, GFP_KERNEL));
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
