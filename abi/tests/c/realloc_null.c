// C23 7.24.3.7: realloc(NULL, n) behaves as malloc(n), for n = 0 too
// also: glibc
#include "check.h"

int main(void) {
    for (size_t size = 0; size <= 4 * MIB; size = next_size(size)) {
        void *block = realloc(hide(NULL), size);
        CHECK(block != NULL, "realloc(NULL, %zu) is NULL", size);
        CHECK(aligned(block, 16), "realloc(NULL, %zu) is %p", size, block);
        fill(block, size, 1);
        free(block);
    }
    return 0;
}
