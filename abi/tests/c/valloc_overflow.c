// glibc valloc(3) and pvalloc(3): a size that rounding up to pages would wrap around is NULL with ENOMEM
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4094, SIZE_MAX - 4095, SIZE_MAX - 4096, SIZE_MAX - 8192,
                            (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX, (size_t)1 << 47};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        errno = 0;
        void *block = valloc(hide_size(sizes[i]));
        CHECK(!block && errno == ENOMEM, "valloc(%zu) is %p, errno %d", sizes[i], block, errno);
        errno = 0;
        block = pvalloc(hide_size(sizes[i]));
        CHECK(!block && errno == ENOMEM, "pvalloc(%zu) is %p, errno %d", sizes[i], block, errno);
    }
    return 0;
}
