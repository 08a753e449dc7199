// glibc malloc_usable_size(3): 0 for NULL, at least the size asked for otherwise, however the block was allocated
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    CHECK(malloc_usable_size(hide(NULL)) == 0, "malloc_usable_size(NULL) is %zu", malloc_usable_size(NULL));
    for (size_t size = 0; size <= 64 * MIB; size = next_size(size)) {
        void *blocks[] = {malloc(size), calloc(1, size), realloc(malloc(1), size ? size : 1), aligned_alloc(64, size),
                          aligned_alloc(4096, size)};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            CHECK(blocks[i] != NULL, "allocation %zu of %zu is NULL", i, size);
            size_t usable = malloc_usable_size(blocks[i]);
            CHECK(usable >= size, "allocation %zu of %zu has %zu usable", i, size, usable);
            CHECK(usable <= size + size / 2 + 8 * KIB, "allocation %zu of %zu claims %zu usable", i, size, usable);
            free(blocks[i]);
        }
    }
    return 0;
}
