// zs_obj_write: more bytes than the object has end the program
// expect: heapwright: zs_obj_write: pool zram0: handle {it} is shorter than what is written
#include "check.h"

int main(void) {
    char bytes[101] = "";
    struct zs_pool *pool = zs_create_pool("zram0");
    unsigned long handle = shown_handle(zs_malloc(pool, 100, GFP_KERNEL));
    zs_obj_write(pool, handle, bytes, 101);
    return 0;
}
