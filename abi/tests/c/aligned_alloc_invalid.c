// C23 7.24.3.1 and glibc 2.38: aligned_alloc with no power of two is NULL with EINVAL; glibc 2.36 rounds it up to one. Either
//   is right here, a block that is less aligned than asked for, or another errno, is not.
// also: glibc
#include "check.h"

int main(void) {
    const size_t alignments[] = {3, 6, 24, 48, 100, 1000, 4095, 4097, 3 * MIB};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        size_t rounded = 1;
        while (rounded < alignments[i]) rounded *= 2;
        errno = 0;
        void *block = aligned_alloc(hide_size(alignments[i]), 100);
        if (!block) CHECK(errno == EINVAL, "aligned_alloc(%zu, 100) is NULL with errno %d", alignments[i], errno);
        else CHECK(aligned(block, rounded), "aligned_alloc(%zu, 100) is %p, not aligned to %zu", alignments[i], block, rounded);
        free(block);
    }
    // No power of two can round this up.
    errno = 0;
    void *block = aligned_alloc(hide_size(SIZE_MAX / 2 + 2), 1);
    CHECK(block == NULL && errno == EINVAL, "aligned_alloc(SIZE_MAX / 2 + 2, 1) is %p, errno %d", block, errno);
    // A valid alignment that no address space has.
    errno = 0;
    block = aligned_alloc(hide_size((size_t)1 << 62), 1);
    CHECK(block == NULL && errno == ENOMEM, "aligned_alloc(1 << 62, 1) is %p, errno %d", block, errno);
    return 0;
}
