// zs_obj_read_end: without a zs_obj_read_begin() it ends the program
// expect: heapwright: zs_obj_read_end: pool zram0: handle {it} is not being read
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    void *bytes = zs_obj_read_begin(pool, handle, NULL);
    zs_obj_read_end(pool, handle, bytes);
    zs_obj_read_end(pool, handle, bytes);
    return 0;
}
