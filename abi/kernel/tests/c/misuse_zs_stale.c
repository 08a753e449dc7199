// zs_obj_read_begin: a handle whose object was freed ends the program, also when its place has another object
// expect: heapwright: zs_obj_read_begin: pool zram0: handle {it} is free already (stale handle)
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    zs_free(pool, handle);
    CHECK(!IS_ERR_VALUE(zs_malloc(pool, 100, GFP_KERNEL)));
    return zs_obj_read_begin(pool, handle, NULL) == NULL;
}
