// C23 7.24.3.6 and glibc's 2 * sizeof(size_t): every block is aligned to 16, whatever its size
// also: glibc
#include "check.h"

int main(void) {
    for (size_t size = 0; size <= 64 * MIB; size = next_size(size)) {
        void *keep[3];
        for (int i = 0; i < 3; i++) {
            keep[i] = malloc(size);
            CHECK(keep[i] != NULL, "malloc(%zu) is NULL", size);
            CHECK(aligned(keep[i], 16), "malloc(%zu) is %p", size, keep[i]);
        }
        void *zeroed = calloc(1, size);
        CHECK(zeroed && aligned(zeroed, 16), "calloc(1, %zu) is %p", size, zeroed);
        keep[0] = realloc(keep[0], size / 2 + 1);
        CHECK(keep[0] && aligned(keep[0], 16), "realloc(%zu -> %zu) is %p", size, size / 2 + 1, keep[0]);
        for (int i = 0; i < 3; i++) free(keep[i]);
        free(zeroed);
    }
    return 0;
}
