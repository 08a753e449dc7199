// zs_destroy_pool: objects in use end the program
// expect: heapwright: zs_destroy_pool: pool zram0: 2 objects are in use
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    CHECK(!IS_ERR_VALUE(zs_malloc(pool, 100, GFP_KERNEL)) && !IS_ERR_VALUE(zs_malloc(pool, 4096, GFP_KERNEL)));
    zs_destroy_pool(pool);
    return 0;
}
