// docs/how-it-works.md: from 32 KiB + 1 to 4 MiB a block is at most a quarter larger than what was asked for
// also: glibc
#include <malloc.h>

#include "check.h"

static void try(size_t size) {
    void *block = malloc(hide_size(size));
    CHECK(block != NULL, "malloc(%zu) is NULL", size);
    size_t usable = malloc_usable_size(block);
    CHECK(usable >= size && usable - size <= size / 4, "malloc(%zu) has %zu usable bytes", size, usable);
    free(block);
}

int main(void) {
    // Every size while steps are small for it, then those about every granule of 16 KiB.
    for (size_t size = 32 * KIB + 1; size <= 260 * KIB; size++) try(size);
    for (size_t size = 256 * KIB; size <= 4 * MIB; size += 16 * KIB) try(size - 1), try(size), try(size + 1);
    return 0;
}
