// survival: under `ulimit -d` of 300 MiB, which counts memory that may be written to, used or not, as strict overcommit does: what is
//    freed is the program's to map after malloc_trim, and malloc's again after that
#include <malloc.h>
#include <sys/mman.h>

#include "limited.h"

enum { BYTES = 120 * MIB, MAPPED = 200 * MIB };

// All of `BYTES` in blocks of `size` bytes, touched; all are freed, but for the last if one is to stay, which is returned.
static void *come_and_go(size_t size, int stays) {
    static char *blocks[BYTES / 1000];
    size_t count = BYTES / size;
    for (size_t i = 0; i < count; i++) {
        blocks[i] = malloc(size);
        CHECK(blocks[i] != NULL, "block %zu of %zu bytes is NULL", i, size);
        memset(blocks[i], 1, size < 8 * KIB ? size : 8 * KIB);
    }
    for (size_t i = 0; i < count - (size_t)stays; i++) free(blocks[i]);
    return stays ? blocks[count - 1] : NULL;
}

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_DATA, 300 * MIB, count, arguments);
    const size_t sizes[] = {1000, 5000, 30000, 100000, MIB, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        void *last = come_and_go(sizes[i], i % 2 == 0);
        malloc_trim(0);
        char *mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(mapped != MAP_FAILED, "after blocks of %zu bytes a mapping of 200 MiB is refused with errno %d", sizes[i], errno);
        CHECK(munmap(mapped, MAPPED) == 0, "munmap fails with errno %d", errno);
        free(last);
    }
    return 0;
}
