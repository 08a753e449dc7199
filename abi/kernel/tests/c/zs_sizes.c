// zs_malloc: size 0 is -EINVAL, above 4,096 -ENOSPC; sizes that share chains have one class
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("pool");
    CHECK((long)zs_malloc(pool, 0, GFP_KERNEL) == -EINVAL);
    CHECK((long)zs_malloc(pool, 4097, GFP_KERNEL) == -ENOSPC);
    CHECK((long)zs_malloc(pool, SIZE_MAX, GFP_KERNEL) == -ENOSPC);
    CHECK(IS_ERR_VALUE(zs_malloc(pool, 0, GFP_KERNEL)));
    CHECK(zs_huge_class_size(pool) == 3625);
    CHECK(zs_lookup_class_index(pool, 1) == 0 && zs_lookup_class_index(pool, 24) == 0);
    CHECK(zs_lookup_class_index(pool, 25) == 1);
    CHECK(zs_lookup_class_index(pool, 4096) == 254 && zs_lookup_class_index(pool, 3625) == 254);
    CHECK(zs_lookup_class_index(pool, 3624) < 254);
    // 3632 bytes of class and 8 in front: 225.
    CHECK(zs_lookup_class_index(pool, 3624) == (3632 - 32) / 16);
    unsigned last = 0, classes = 1;
    for (unsigned size = 1; size <= 4096; size++) {
        unsigned index = zs_lookup_class_index(pool, size);
        CHECK(index >= last && index <= 254);
        classes += index != last;
        last = index;
    }
    CHECK(classes == 119);
    CHECK(zs_create_pool(NULL) == NULL);
    zs_destroy_pool(pool);
    return 0;
}
