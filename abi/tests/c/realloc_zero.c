// glibc realloc(3) (C23 7.24.3.7 leaves it undefined, POSIX.1-2024 allows it): realloc(p, 0) frees p and returns NULL
// also: glibc
#include "check.h"

int main(void) {
    const size_t sizes[] = {0, 1, 100, 5000, 40000, 300000, 3 * MIB, 40 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *block = malloc(sizes[i]);
        CHECK(block != NULL, "malloc(%zu) is NULL", sizes[i]);
        void *result = realloc(hide(block), hide_size(0));
        CHECK(result == NULL, "realloc(a block of %zu, 0) is %p, not NULL", sizes[i], result);
    }
    // Freed, not leaked: 4 GB go through in 1 MiB blocks.
    size_t before = resident();
    for (int i = 0; i < 4000; i++) {
        char *block = malloc(MIB);
        CHECK(block != NULL, "malloc(1 MiB) is NULL in round %d", i);
        block[0] = block[MIB - 1] = 1;
        if (i % 64 == 0) memset(hide(block), 1, MIB);
        CHECK(realloc(hide(block), hide_size(0)) == NULL, "realloc(p, 0) is not NULL in round %d", i);
    }
    size_t after = resident();
    CHECK(after < before + 100 * MIB, "realloc(p, 0) leaks: resident %zu MiB, then %zu MiB", before / MIB, after / MIB);
    return 0;
}
