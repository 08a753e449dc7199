// POSIX.1-2024 reallocarray: as realloc(p, n * size); a product that wraps around is NULL with ENOMEM and keeps the block
// also: glibc
#include "check.h"

int main(void) {
    char *block = reallocarray(NULL, 10, 10);
    CHECK(block != NULL, "reallocarray(NULL, 10, 10) is NULL");
    fill(block, 100, 5);
    block = reallocarray(block, 1000, 100);
    CHECK(block != NULL, "reallocarray(p, 1000, 100) is NULL");
    CHECK(first_difference(block, 100, 5) == 100, "reallocarray lost the contents");

    const size_t half = (size_t)1 << (sizeof(size_t) * 4);
    const size_t pairs[][2] = {{SIZE_MAX, 2}, {2, SIZE_MAX}, {half, half}, {SIZE_MAX / 16 + 1, 16}, {3, SIZE_MAX / 3 + 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        errno = 0;
        void *result = reallocarray(hide(block), hide_size(pairs[i][0]), hide_size(pairs[i][1]));
        CHECK(result == NULL, "reallocarray(p, %zu, %zu) is %p, not NULL", pairs[i][0], pairs[i][1], result);
        CHECK(errno == ENOMEM, "reallocarray(p, %zu, %zu) sets errno %d", pairs[i][0], pairs[i][1], errno);
        CHECK(first_difference(block, 100, 5) == 100, "a failed reallocarray changed the block");
    }
    free(block);
    return 0;
}
