// C23 7.24.3.5: free_aligned_sized(p, a, n) frees what aligned_alloc(a, n) gave; NULL does nothing; errno is kept
// link: heapwright
#include <heapwright.h>

#include "check.h"

enum { ROW = 20 };

int main(void) {
    static char *row[ROW];
    for (size_t alignment = 1; alignment <= 16 * MIB; alignment *= 2) {
        for (size_t size = 1; size <= 4 * MIB; size = size < 64 ? size * 2 : size * 3 + 1) {
            int count = size + alignment <= 64 * KIB ? ROW : 2;
            for (int i = 0; i < count; i++) {
                row[i] = aligned_alloc(alignment, size);
                CHECK(row[i] && aligned(row[i], alignment), "aligned_alloc(%zu, %zu) is %p", alignment, size, row[i]);
                row[i][0] = row[i][size - 1] = 1;
            }
            for (int i = 0; i < count; i++) {
                errno = 4242;
                free_aligned_sized(row[i], alignment, size);
                CHECK(errno == 4242, "free_aligned_sized(p, %zu, %zu) sets errno to %d", alignment, size, errno);
            }
        }
    }
    free_aligned_sized(hide(NULL), 0, 0);
    free_aligned_sized(hide(NULL), 64, 64);
    free_aligned_sized(hide(NULL), SIZE_MAX, SIZE_MAX);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
