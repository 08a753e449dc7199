// glibc mallinfo(3), mallinfo2(3): uordblks grows with the bytes in use, with hblkhd for large blocks, and falls when they are freed
// also: glibc
#include <malloc.h>

#include "check.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { COUNT = 20000, SIZE = 100 };

int main(void) {
    static void *blocks[COUNT];
    struct mallinfo2 start = mallinfo2();
    struct mallinfo start_old = mallinfo();
    for (int i = 0; i < COUNT; i++) CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
    struct mallinfo2 full = mallinfo2();
    struct mallinfo full_old = mallinfo();
    size_t grown = full.uordblks - start.uordblks, live = (size_t)COUNT * SIZE;
    CHECK(grown >= live && grown < live * 2, "mallinfo2: uordblks grew by %zu for %zu live bytes", grown, live);
    CHECK(full.arena + full.hblkhd >= live, "mallinfo2: arena %zu and hblkhd %zu for %zu live bytes", full.arena, full.hblkhd, live);
    size_t grown_old = (size_t)(full_old.uordblks - start_old.uordblks);
    CHECK(grown_old >= live && grown_old < live * 2, "mallinfo: uordblks grew by %zu for %zu live bytes", grown_old, live);
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    size_t left = mallinfo2().uordblks;
    CHECK(left < start.uordblks + live / 4, "mallinfo2: uordblks is %zu after all is freed, %zu at the start", left, start.uordblks);

    struct mallinfo2 before = mallinfo2();
    void *large = malloc(20 * MIB);
    CHECK(large != NULL, "malloc(20 MiB) is NULL");
    struct mallinfo2 with = mallinfo2();
    grown = with.uordblks + with.hblkhd - before.uordblks - before.hblkhd;
    CHECK(grown >= 20 * MIB && grown < 24 * MIB, "mallinfo2: uordblks + hblkhd grew by %zu for a block of 20 MiB", grown);
    free(large);
    struct mallinfo2 after = mallinfo2();
    CHECK(after.uordblks + after.hblkhd < with.uordblks + with.hblkhd - 16 * MIB, "mallinfo2: a freed block of 20 MiB still counts");
    return 0;
}
