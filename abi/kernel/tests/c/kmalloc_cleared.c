// kzalloc, kcalloc, __GFP_ZERO: all bytes are 0 whatever was there before; kfree_sensitive leaves nothing to be read
#include "check.h"

int main(void) {
    for (size_t size = 1; size <= 40000; size = size * 3 / 2 + 1) {
        unsigned char *dirty = kmalloc(size, GFP_KERNEL);
        fill(dirty, size, 7);
        kfree(dirty);
        unsigned char *clean = kzalloc(size, GFP_KERNEL);
        CHECK(is_all(clean, size, 0));
        fill(clean, size, 7);
        kfree(clean);
        clean = kcalloc(size, 1, GFP_KERNEL);
        CHECK(is_all(clean, size, 0));
        fill(clean, size, 7);
        kfree(clean);
        clean = kmalloc_array(1, size, GFP_KERNEL | __GFP_ZERO);
        CHECK(is_all(clean, size, 0));
        fill(clean, ksize(clean), 7);
        void *at = hide(clean);
        kfree_sensitive(clean);
        clean = kmalloc(size, GFP_KERNEL);
        // What was freed last comes next.
        if (clean == at) CHECK(is_all(clean, ksize(clean), 0));
        kfree(clean);
    }
    return 0;
}
