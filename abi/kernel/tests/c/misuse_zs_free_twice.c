// zs_free: an object freed twice ends the program
// expect: heapwright: zs_free: pool zram0: handle {it} is free already (stale handle)
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    zs_free(pool, handle);
    zs_free(pool, handle);
    return 0;
}
