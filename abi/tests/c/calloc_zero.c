// C23 7.24.3.2: calloc's space is all bits zero, also where the same memory was used, written and freed before
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "check.h"

enum { MOST = 100 };

static void one_size(size_t size) {
    void *blocks[MOST];
    int count = size <= 2 * KIB ? MOST : size <= 256 * KIB ? 8 : 2;
    for (int i = 0; i < count; i++) {
        blocks[i] = malloc(size);
        CHECK(blocks[i] != NULL, "malloc(%zu) is NULL", size);
        memset(hide(blocks[i]), 0xa5, size);
    }
    for (int i = 0; i < count; i++) free(blocks[i]);
    for (int i = 0; i < count; i++) {
        blocks[i] = i % 2 ? calloc(1, size) : calloc(size, 1);
        CHECK(blocks[i] != NULL, "calloc of %zu is NULL", size);
        size_t at = first_dirty(blocks[i], size);
        CHECK(at == size, "byte %zu of calloc(%zu) is %#x", at, size, ((unsigned char *)blocks[i])[at]);
        memset(hide(blocks[i]), 0x5a, size);
    }
    for (int i = 0; i < count; i++) free(blocks[i]);
}

int main(void) {
    for (int round = 0; round < 2; round++)
        for (size_t size = 1; size <= 8 * MIB; size = next_size(size)) one_size(size);
    const size_t large[] = {16 * MIB, 32 * MIB - 1, 32 * MIB + 1, 48 * MIB, 64 * MIB};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) one_size(large[i]);
    // Large memory, freed dirty, comes back as small blocks.
    void *dirty = malloc(4 * MIB);
    CHECK(dirty != NULL, "malloc(4 MiB) is NULL");
    memset(hide(dirty), 0xee, 4 * MIB);
    free(dirty);
    for (size_t size = 8; size <= 64 * KIB; size *= 2) one_size(size);
    return 0;
}
