// xv_destroy_pool: the second time ends the program
// expect: heapwright: xv_destroy_pool: an xvmalloc pool was destroyed
#include "check.h"

int main(void) {
    struct xv_pool *pool = xv_create_pool();
    xv_destroy_pool(pool);
    xv_destroy_pool(pool);
    return 0;
}
