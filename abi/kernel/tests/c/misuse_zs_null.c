// zs_malloc: a pool that is NULL ends the program
// expect: heapwright: zs_malloc: the pool is NULL
#include "check.h"

int main(void) {
    return zs_malloc((struct zs_pool *)hide(NULL), 100, GFP_KERNEL) != 0;
}
