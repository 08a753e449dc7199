// C23 7.24.3.7: realloc takes a block of aligned_alloc and keeps its contents (its alignment falls back to 16)
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "check.h"

int main(void) {
    for (size_t alignment = 32; alignment <= 4 * MIB; alignment *= 2) {
        for (size_t size = 1; size <= MIB; size = size * 4 + 1) {
            const size_t targets[] = {1, size / 2 + 1, size + 1, size * 2, size * 9, alignment * 2};
            for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
                char *block = aligned_alloc(alignment, size);
                CHECK(block && aligned(block, alignment), "aligned_alloc(%zu, %zu) is %p", alignment, size, block);
                fill(block, size, 2);
                block = realloc(block, targets[t]);
                CHECK(block && aligned(block, 16), "realloc(%zu at %zu -> %zu) is %p", size, alignment, targets[t], block);
                size_t kept = size < targets[t] ? size : targets[t], at = first_difference(block, kept, 2);
                CHECK(at == kept, "realloc(%zu at %zu -> %zu) lost byte %zu", size, alignment, targets[t], at);
                block[targets[t] - 1] = 1;
                free(block);
            }
        }
    }
    return 0;
}
