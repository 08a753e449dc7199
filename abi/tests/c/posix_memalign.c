// POSIX.1-2024 posix_memalign: any power of two that is a multiple of sizeof(void *); the result is the error number
// also: glibc
#include "check.h"

int main(void) {
    for (size_t alignment = sizeof(void *); alignment <= GIB; alignment *= 2) {
        for (size_t size = 0; size <= 200000; size = size * 7 + 1) {
            void *block = NULL;
            int result = posix_memalign(&block, alignment, size);
            CHECK(result == 0, "posix_memalign(%zu, %zu) returns %d", alignment, size, result);
            CHECK(block && aligned(block, alignment), "posix_memalign(%zu, %zu) gives %p", alignment, size, block);
            fill(block, size, 1);
            free(block);
        }
    }
    return 0;
}
