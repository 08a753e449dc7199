// zs_free: an object that is being read ends the program
// expect: heapwright: zs_free: pool zram0: handle {it} is being read
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    CHECK(zs_obj_read_begin(pool, handle, NULL) != NULL);
    zs_free(pool, handle);
    return 0;
}
