// glibc malloc_trim(3): returns 1 if memory went back, also where what is free goes back at once
// env: HEAPWRIGHT=keep=0
// link: heapwright
#include <malloc.h>

#include "check.h"

enum { COUNT = 120, SIZE = 5000 };

int main(void) {
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) memset(blocks[i] = malloc(SIZE), 1, SIZE);
    malloc_trim(0);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    CHECK(malloc_trim(0) == 1, "malloc_trim(0) returns 0 with 600 KB to give back");
    return 0;
}
