// survival: an emulator that says yes to MADV_DONTNEED and does nothing: calloc is zero all the same
// also: glibc
#include <malloc.h>

#include "filter.h"

enum { BLOCKS = 64 };

static void *blocks[BLOCKS];

static void fill_and_free(size_t size) {
    for (int at = 0; at < BLOCKS; at++) {
        blocks[at] = malloc(size);
        CHECK(blocks[at] != NULL, "malloc(%zu) is NULL", size);
        memset(hide(blocks[at]), 0xa5, size);
    }
    for (int at = 0; at < BLOCKS; at++) free(blocks[at]);
}

int main(void) {
    const int calls[] = {SYS_madvise, SYS_process_madvise};
    if (filter_calls(calls, 2, SECCOMP_RET_ERRNO, SECCOMP_RET_ALLOW, 0)) SKIP("this machine has no seccomp filters");
    for (size_t size = 4 * KIB; size <= 4 * MIB; size *= 4) {
        fill_and_free(size);
        malloc_trim(0);
        for (int at = 0; at < BLOCKS; at++) {
            blocks[at] = calloc(1, size);
            CHECK(blocks[at] && first_dirty(blocks[at], size) == size, "calloc(%zu) has old contents", size);
        }
        for (int at = 0; at < BLOCKS; at++) free(blocks[at]);
    }
    return 0;
}
