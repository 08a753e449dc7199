// zs_malloc: a pool that was destroyed ends the program
// expect: heapwright: zs_malloc: pool pages was destroyed
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("pages");
    zs_free(pool, zs_malloc(pool, 100, GFP_KERNEL));
    zs_destroy_pool(pool);
    (void)!zs_malloc(pool, 100, GFP_KERNEL);
    return 0;
}
