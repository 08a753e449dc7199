// C23 7.24.3: every allocation yields an object disjoint from any other object
// also: glibc
#include "check.h"

enum { ROW = 40 };

int main(void) {
    static void *blocks[200][ROW];
    static size_t sizes[200];
    int rows = 0;
    for (size_t size = 1; size < 100 * KIB && rows < 200; size = size < 64 ? size + 1 : size + size / 16) {
        sizes[rows] = size;
        for (int i = 0; i < ROW; i++) {
            blocks[rows][i] = malloc(size);
            CHECK(blocks[rows][i] != NULL, "malloc(%zu) is NULL", size);
            fill(blocks[rows][i], size, (unsigned)(rows * ROW + i));
        }
        rows++;
    }
    for (int row = 0; row < rows; row++) {
        for (int i = 0; i < ROW; i++) {
            size_t at = first_difference(blocks[row][i], sizes[row], (unsigned)(row * ROW + i));
            CHECK(at == sizes[row], "byte %zu of a block of %zu was overwritten by another block", at, sizes[row]);
        }
    }
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < ROW; i++) free(blocks[row][i]);
    return 0;
}
