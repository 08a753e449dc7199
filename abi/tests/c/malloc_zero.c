// glibc malloc(3), which C23 7.24.3 permits: malloc(0) returns a block of its own that free() takes
// also: glibc
#include "check.h"

enum { COUNT = 2000 };

int main(void) {
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = malloc(hide_size(0));
        CHECK(blocks[i] != NULL, "malloc(0) number %d is NULL", i);
        for (int j = 0; j < i; j++) CHECK(blocks[j] != blocks[i], "malloc(0) returned %p twice", blocks[i]);
    }
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    return 0;
}
