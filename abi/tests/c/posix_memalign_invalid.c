// POSIX.1-2024 posix_memalign: EINVAL for an alignment that is no power of two or no multiple of sizeof(void *), ENOMEM for
//   what cannot be had; *memptr stays as it was (glibc, and so POSIX.1-2024); errno becomes ENOMEM or stays (glibc)
// also: glibc
#include "check.h"

int main(void) {
    int target;
    const size_t alignments[] = {0, 1, 2, 3, 4, 7, 9, 12, 24, 40, 100, 4095, 4097, SIZE_MAX, SIZE_MAX / 2 + 2, (size_t)3 << 62};
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        void *block = &target;
        errno = 4242;
        int result = posix_memalign(&block, hide_size(alignments[i]), 100);
        CHECK(errno == 4242, "posix_memalign(%zu, 100) sets errno to %d", alignments[i], errno);
        CHECK(result == EINVAL, "posix_memalign(%zu, 100) returns %d, not EINVAL", alignments[i], result);
        CHECK(block == &target, "posix_memalign(%zu, 100) fails but changes *memptr to %p", alignments[i], block);
    }
    const size_t sizes[] = {(size_t)1 << 47, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *block = &target;
        errno = 4242;
        int result = posix_memalign(&block, 64, hide_size(sizes[i]));
        CHECK(errno == ENOMEM, "posix_memalign(64, %zu) leaves errno at %d", sizes[i], errno);
        CHECK(result == ENOMEM, "posix_memalign(64, %zu) returns %d, not ENOMEM", sizes[i], result);
        CHECK(block == &target, "posix_memalign(64, %zu) fails but changes *memptr to %p", sizes[i], block);
    }
    void *block = &target;
    int result = posix_memalign(&block, hide_size((size_t)1 << 62), 1);
    CHECK(result == ENOMEM && block == &target, "posix_memalign(1 << 62, 1) returns %d and gives %p", result, block);
    return 0;
}
