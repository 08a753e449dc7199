// zs_malloc with __GFP_NOFAIL: without memory the program ends
// expect: heapwright: zs_malloc: no memory for 3000 bytes, which must not fail
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    refuse_above((size_t)64 << 20);
    for (;;) CHECK(!IS_ERR_VALUE(zs_malloc(pool, 3000, GFP_KERNEL | __GFP_NOFAIL)));
}
