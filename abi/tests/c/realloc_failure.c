// C23 7.24.3.7: a realloc that fails returns NULL with ENOMEM and leaves the old block allocated and unchanged
// also: glibc
#include "check.h"

int main(void) {
    const size_t from[] = {1, 16, 100, 1000, 5000, 32768, 40000, 300000, 3 * MIB, 40 * MIB};
    const size_t to[] = {(size_t)1 << 47, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 4095, SIZE_MAX};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        char *block = malloc(from[i]);
        CHECK(block != NULL, "malloc(%zu) is NULL", from[i]);
        fill(block, from[i], 3);
        for (size_t j = 0; j < sizeof to / sizeof *to; j++) {
            errno = 0;
            void *result = realloc(hide(block), hide_size(to[j]));
            CHECK(result == NULL, "realloc(%zu -> %zu) is %p, not NULL", from[i], to[j], result);
            CHECK(errno == ENOMEM, "realloc(%zu -> %zu) sets errno %d, not ENOMEM", from[i], to[j], errno);
            errno = 0;
            result = reallocarray(hide(block), hide_size(to[j]), 8);
            CHECK(result == NULL && errno == ENOMEM, "reallocarray(%zu -> %zu * 8) is %p, errno %d", from[i], to[j], result, errno);
        }
        size_t at = first_difference(block, from[i], 3);
        CHECK(at == from[i], "a failed realloc changed byte %zu of a block of %zu", at, from[i]);
        free(block);
    }
    return 0;
}
