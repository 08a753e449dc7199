// C23 7.24.3.1, POSIX.1-2024 posix_memalign: a size that wraps around with its alignment fails with ENOMEM
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    for (size_t alignment = 32; alignment <= (size_t)1 << 40; alignment *= 2) {
        const size_t sizes[] = {SIZE_MAX, SIZE_MAX - alignment, SIZE_MAX - alignment + 1, SIZE_MAX - 2 * alignment,
                                (size_t)PTRDIFF_MAX + 1, PTRDIFF_MAX, PTRDIFF_MAX - alignment};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t size = hide_size(sizes[i]);
            errno = 0;
            void *block = aligned_alloc(alignment, size);
            CHECK(!block && errno == ENOMEM, "aligned_alloc(%zu, %zu) is %p, errno %d", alignment, size, block, errno);
            errno = 0;
            block = memalign(alignment, size);
            CHECK(!block && errno == ENOMEM, "memalign(%zu, %zu) is %p, errno %d", alignment, size, block, errno);
            int result = posix_memalign(&block, alignment, size);
            CHECK(result == ENOMEM, "posix_memalign(%zu, %zu) returns %d", alignment, size, result);
        }
    }
    return 0;
}
