// glibc mallinfo2(3): what malloc_trim gave back is neither in arena nor in fordblks
// also: glibc
#include <malloc.h>

#include "check.h"

enum { COUNT = 400000, SIZE = 100 };

int main(void) {
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
    size_t full = mallinfo2().arena;
    CHECK(full >= (size_t)COUNT * SIZE, "arena is %zu where %d blocks of %d bytes are live", full, COUNT, SIZE);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    malloc_trim(0);
    struct mallinfo2 left = mallinfo2();
    CHECK(left.arena < 4 * MIB && left.fordblks < 4 * MIB, "arena is %zu, fordblks %zu of %zu before", left.arena, left.fordblks, full);
    return 0;
}
