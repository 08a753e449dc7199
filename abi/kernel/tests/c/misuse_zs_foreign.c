// zs_free: a handle that no object ever had ends the program
// expect: heapwright: zs_free: pool zram0: handle 0x7b is none of this pool's
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("zram0");
    zs_free(pool, 123);
    return 0;
}
