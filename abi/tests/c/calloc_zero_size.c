// glibc calloc(3), which C23 7.24.3 permits: calloc with a zero count or size returns a block of its own
// also: glibc
#include "check.h"

int main(void) {
    void *a = calloc(hide_size(0), hide_size(0));
    void *b = calloc(hide_size(0), hide_size(8));
    void *c = calloc(hide_size(8), hide_size(0));
    void *d = calloc(hide_size(0), hide_size(SIZE_MAX));
    CHECK(a && b && c && d, "calloc(0, 0) %p, (0, 8) %p, (8, 0) %p, (0, SIZE_MAX) %p: one is NULL", a, b, c, d);
    CHECK(a != b && a != c && a != d && b != c && b != d && c != d, "two empty blocks share an address");
    free(a), free(b), free(c), free(d);
    return 0;
}
