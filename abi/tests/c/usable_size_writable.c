// glibc malloc_usable_size(3): the whole usable size can be written, harms no neighbour, and realloc keeps it
// long: only on the flagship
// also: glibc
#include <malloc.h>

#include "check.h"

enum { ROW = 16 };

int main(void) {
    static char *row[ROW];
    for (size_t size = 0; size <= 8 * MIB; size = next_size(size)) {
        int count = size <= 64 * KIB ? ROW : 3;
        for (int i = 0; i < count; i++) {
            row[i] = i % 4 == 3 ? aligned_alloc(128, size) : malloc(size);
            CHECK(row[i] != NULL, "an allocation of %zu is NULL", size);
            fill(hide(row[i]), malloc_usable_size(row[i]), (unsigned)i);
        }
        for (int i = 0; i < count; i++) {
            size_t usable = malloc_usable_size(row[i]), at = first_difference(row[i], usable, (unsigned)i);
            CHECK(at == usable, "byte %zu of %zu usable of a block of %zu was overwritten", at, usable, size);
            row[i] = realloc(hide(row[i]), usable + 1);
            CHECK(row[i] != NULL, "realloc to %zu is NULL", usable + 1);
            at = first_difference(row[i], usable, (unsigned)i);
            CHECK(at == usable, "realloc of a block of %zu (%zu usable) lost byte %zu", size, usable, at);
        }
        for (int i = 0; i < count; i++) free(row[i]);
    }
    return 0;
}
