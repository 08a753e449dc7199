// glibc memalign(3): any power of two; another alignment is rounded up to one, 0 means the usual 16
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    for (size_t alignment = 0; alignment <= 70000; alignment = alignment < 300 ? alignment + 1 : alignment * 2 - 77) {
        size_t rounded = 16;
        while (rounded < alignment) rounded *= 2;
        for (size_t size = 0; size <= 300 * KIB; size = size * 5 + 3) {
            char *block = memalign(hide_size(alignment), size);
            CHECK(block != NULL, "memalign(%zu, %zu) is NULL", alignment, size);
            CHECK(aligned(block, rounded), "memalign(%zu, %zu) is %p, not aligned to %zu", alignment, size, block, rounded);
            fill(block, size, 1);
            CHECK(malloc_usable_size(block) >= size, "memalign(%zu, %zu) has %zu usable", alignment, size, malloc_usable_size(block));
            free(block);
        }
    }
    errno = 0;
    void *block = memalign(hide_size(SIZE_MAX / 2 + 2), 1);
    CHECK(!block && errno == EINVAL, "memalign(SIZE_MAX / 2 + 2, 1) is %p, errno %d", block, errno);
    return 0;
}
