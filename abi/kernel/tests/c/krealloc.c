// krealloc: the bytes that both sizes have are kept, and what is gained is 0 if asked for; in place while ksize() has room
#include "check.h"

int main(void) {
    unsigned char *block = kmalloc(1, GFP_KERNEL);
    block[0] = pattern_at(0, 3);
    size_t size = 1;
    uint32_t seed = 1;
    for (int round = 0; round < 5000; round++) {
        size_t next = 1 + random_next(&seed) % (round % 50 ? 3000 : 100000);
        unsigned char *moved = krealloc(block, next, GFP_KERNEL);
        CHECK(moved != NULL && ksize(moved) >= next && is_filled(moved, size < next ? size : next, 3));
        fill(moved, next, 3);
        block = moved;
        size = next;
    }
    kfree(block);
    block = kmalloc(65, GFP_KERNEL);
    CHECK(krealloc(block, 96, GFP_KERNEL) == block && krealloc(block, 70, GFP_KERNEL) == block);
    fill(block, 96, 1);
    block = krealloc(block, 1000, GFP_KERNEL | __GFP_ZERO);
    CHECK(is_filled(block, 96, 1) && is_all(block + 96, 1000 - 96, 0));
    block = krealloc_array(block, 100, 50, GFP_KERNEL);
    CHECK(is_filled(block, 96, 1) && ksize(block) >= 5000);
    kfree(block);
    // With __GFP_ZERO from the first call on, what is gained is 0, also where the block had room for it, and after it shrank.
    for (size_t size = 1; size <= 40000; size = size * 3 / 2 + 1) {
        unsigned char *dirty = kmalloc(size, GFP_KERNEL);
        fill(dirty, ksize(dirty), 7);
        kfree(dirty);
        block = kzalloc(size, GFP_KERNEL);
        fill(block, size, 2);
        block = krealloc(block, ksize(block), GFP_KERNEL | __GFP_ZERO);
        CHECK(is_filled(block, size, 2) && is_all(block + size, ksize(block) - size, 0));
        fill(block, ksize(block), 2);
        block = krealloc(block, size, GFP_KERNEL | __GFP_ZERO);
        block = krealloc(block, size + 1, GFP_KERNEL | __GFP_ZERO);
        block = krealloc(block, 2 * size, GFP_KERNEL | __GFP_ZERO);
        CHECK(is_filled(block, size, 2) && is_all(block + size, size, 0));
        kfree(block);
    }
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
