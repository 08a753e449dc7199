// POSIX.1-2024 free: free does not modify errno, whatever the block and however it goes back to the system
// also: glibc
#include "check.h"

enum { ROW = 500 };

static void freed(void *block, const char *kind, size_t size) {
    errno = 4242;
    free(block);
    CHECK(errno == 4242, "free of a %s block of %zu sets errno to %d", kind, size, errno);
}

int main(void) {
    static void *row[ROW];
    for (size_t size = 1; size <= 256 * MIB; size = size < 64 ? size + 16 : size * 2 - 1) {
        int count = size <= 4 * KIB ? ROW : size <= MIB ? 20 : 2;
        for (int i = 0; i < count; i++) {
            row[i] = malloc(size);
            CHECK(row[i] != NULL, "malloc(%zu) is NULL", size);
            ((char *)row[i])[0] = ((char *)row[i])[size - 1] = 1;
        }
        for (int i = 0; i < count; i++) freed(row[i], "plain", size);
    }
    for (size_t alignment = 16; alignment <= 8 * MIB; alignment *= 2) {
        void *block = aligned_alloc(alignment, alignment);
        CHECK(block != NULL, "aligned_alloc(%zu, %zu) is NULL", alignment, alignment);
        freed(block, "aligned", alignment);
    }
    return 0;
}
