// glibc before 2.26, cfree(3): cfree(p) is free(p), for programs linked then
// link: heapwright
#include <heapwright.h>

#include "check.h"

int main(void) {
    for (size_t size = 0; size <= 4 * MIB; size = size * 2 + 1) {
        void *block = calloc(1, size);
        CHECK(block != NULL, "calloc(1, %zu) is NULL", size);
        errno = 4242;
        cfree(block);
        CHECK(errno == 4242, "cfree of a block of %zu sets errno to %d", size, errno);
    }
    cfree(hide(NULL));
    return 0;
}
