// zs_destroy_pool: the second time ends the program
// expect: heapwright: zs_destroy_pool: pool pages was destroyed
#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("pages");
    zs_destroy_pool(pool);
    zs_destroy_pool(pool);
    return 0;
}
