// C23 7.24.3.1: aligned_alloc gives the alignment asked for, from 1 to 1 GiB, and size need not be a multiple of it
// also: glibc
#include "check.h"

enum { ROW = 12 };

int main(void) {
    static char *row[ROW];
    const size_t sizes[] = {0, 1, 8, 24, 100, 1000, 4096, 5000, 32768, 40000, 300000, 3 * MIB};
    for (size_t alignment = 1; alignment <= 64 * MIB; alignment *= 2) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            size_t size = sizes[s];
            int count = alignment <= MIB ? ROW : 2;
            for (int i = 0; i < count; i++) {
                row[i] = aligned_alloc(alignment, size);
                CHECK(row[i] != NULL, "aligned_alloc(%zu, %zu) is NULL", alignment, size);
                CHECK(aligned(row[i], alignment) && aligned(row[i], 16), "aligned_alloc(%zu, %zu) is %p", alignment, size, row[i]);
                fill(row[i], size < 5000 ? size : 5000, (unsigned)i);
                if (size) row[i][size - 1] |= 1;
            }
            for (int i = 0; i < count; i++) {
                size_t part = size < 5000 ? size : 5000, at = first_difference(row[i], part, (unsigned)i);
                CHECK(at == part, "byte %zu of aligned_alloc(%zu, %zu) was overwritten", at, alignment, size);
                free(row[i]);
            }
        }
    }
    // The largest are address space only: one page is touched.
    for (size_t alignment = 128 * MIB; alignment <= GIB; alignment *= 2) {
        char *block = aligned_alloc(alignment, 100);
        CHECK(block && aligned(block, alignment), "aligned_alloc(%zu, 100) is %p", alignment, block);
        block[0] = block[99] = 1;
        free(block);
    }
    return 0;
}
