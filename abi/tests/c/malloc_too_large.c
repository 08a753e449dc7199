// glibc malloc(3), C23 7.24.3, POSIX.1-2024 malloc: more than PTRDIFF_MAX bytes is NULL with ENOMEM, and so is what no machine has
// also: glibc
#include "check.h"

static void refused(const char *call, void *block, int error) {
    CHECK(block == NULL, "%s is %p, not NULL", call, block);
    CHECK(error == ENOMEM, "%s sets errno %d, not ENOMEM", call, error);
}

#define REFUSED(call)                \
    do {                             \
        errno = 0;                   \
        void *block = (call);        \
        refused(#call, block, errno); \
    } while (0)

int main(void) {
    const size_t sizes[] = {(size_t)1 << 47, PTRDIFF_MAX - 4096, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 8 * MIB,
                            SIZE_MAX - 4096, SIZE_MAX - 4095, SIZE_MAX - 32, SIZE_MAX - 15, SIZE_MAX - 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t size = hide_size(sizes[i]);
        REFUSED(malloc(size));
        REFUSED(calloc(1, size));
        REFUSED(calloc(size, 1));
        REFUSED(realloc(NULL, size));
        REFUSED(aligned_alloc(64, size));
        REFUSED(aligned_alloc(2 * MIB, size));
    }
    void *block = malloc(10);
    CHECK(block != NULL, "malloc(10) fails after the refusals");
    free(block);
    return 0;
}
