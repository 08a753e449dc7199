// survival: a system that makes huge pages unasked makes more resident than was touched, and malloc_trim gives that back too
// also: glibc
#include <malloc.h>
#include <sys/mman.h>

#include "check.h"

enum { BLOCKS = 400, SIZE = 1100 * 1000 };

// As if the system's setting were `always`: for all large anonymous mappings that are there now.
static void make_huge_pages(void) {
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL, "/proc/self/maps cannot be read");
    while (fgets(line, sizeof line, maps)) {
        unsigned long from, to;
        if (strchr(line, '/') || strchr(line, '[') || sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
        if (to - from > 2 * MIB) madvise((void *)from, to - from, MADV_HUGEPAGE);
    }
    fclose(maps);
}

int main(void) {
    static char *blocks[BLOCKS];
    void *first = hide(malloc(MIB));
    make_huge_pages();
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(hide(blocks[i]), 1, SIZE);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    free(first);
    malloc_trim(0);
    CHECK(resident() < 24 * MIB, "%zu KiB are resident once all is freed and trimmed", resident() / KIB);
    return 0;
}
