// C23 7.24.3.4: free_sized(p, n) frees what malloc, calloc or realloc gave for n; NULL does nothing; errno is kept
// link: heapwright
#include <heapwright.h>

#include "check.h"

enum { ROW = 200 };

int main(void) {
    static char *row[ROW];
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size <= 64 * MIB; size = next_size(size)) {
            int count = size <= 4 * KIB ? ROW : size <= MIB ? 6 : 1;
            for (int i = 0; i < count; i++) {
                row[i] = i % 3 == 0 ? malloc(size) : i % 3 == 1 ? calloc(1, size) : realloc(malloc(size / 2), size ? size : 1);
                CHECK(row[i] != NULL, "an allocation of %zu is NULL", size);
                fill(row[i], size < 64 ? size : 64, (unsigned)i);
            }
            for (int i = 0; i < count; i++) {
                size_t part = size < 64 ? size : 64, at = first_difference(row[i], part, (unsigned)i);
                CHECK(at == part, "byte %zu of a block of %zu changed", at, size);
                errno = 4242;
                free_sized(row[i], i % 3 == 2 && !size ? 1 : size);
                CHECK(errno == 4242, "free_sized(p, %zu) sets errno to %d", size, errno);
            }
        }
    }
    free_sized(hide(NULL), 0);
    free_sized(hide(NULL), 64);
    free_sized(hide(NULL), SIZE_MAX);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
