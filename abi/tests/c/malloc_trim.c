// glibc malloc_trim(3): returns 1 if memory went back to the system and 0 if not; blocks in use keep their contents
// also: glibc
#include <malloc.h>

#include "check.h"

enum { COUNT = 20000 };

int main(void) {
    static char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = malloc(1000);
        CHECK(blocks[i] != NULL, "malloc(1000) is NULL");
        fill(blocks[i], 1000, (unsigned)i);
    }
    for (int i = 0; i < COUNT; i++)
        if (i % 100) free(blocks[i]);
    size_t before = resident();
    int returned = malloc_trim(0);
    size_t after = resident();
    CHECK(returned == 0 || returned == 1, "malloc_trim(0) returns %d", returned);
    CHECK(returned == 1, "malloc_trim(0) returns 0 with 19 MB free in runs of 99 KB");
    CHECK(after + 8 * MIB < before, "malloc_trim(0) returns 1, but resident memory is %zu KiB after %zu", after / KIB, before / KIB);
    for (int i = 0; i < COUNT; i += 100) {
        size_t at = first_difference(blocks[i], 1000, (unsigned)i);
        CHECK(at == 1000, "malloc_trim(0) changed byte %zu of a block in use", at);
        free(blocks[i]);
    }
    for (int i = 0; i < 10; i++) {
        returned = malloc_trim(i * MIB);
        CHECK(returned == 0 || returned == 1, "malloc_trim(%d MiB) returns %d", i, returned);
    }
    void *block = calloc(1, 100000);
    CHECK(block && first_dirty(block, 100000) == 100000, "calloc after malloc_trim is %p or not zero", block);
    free(block);
    return 0;
}
