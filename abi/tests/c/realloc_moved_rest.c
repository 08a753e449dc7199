// survival: large blocks moved by page tables out of huge pages leave nothing behind that malloc_trim could not give back
// also: glibc
#include <malloc.h>

#include "check.h"

enum { WARM = 64, BLOCKS = 100 };

int main(void) {
    static char *warm[WARM], *blocks[BLOCKS];
    // Enough that is touched for huge pages.
    for (int i = 0; i < WARM; i++) {
        CHECK((warm[i] = malloc(MIB)) != NULL, "malloc(1 MiB) is NULL");
        memset(hide(warm[i]), 1, MIB);
    }
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(1200 * KIB)) != NULL, "malloc(1200 KiB) is NULL");
        fill(blocks[i], 1200 * KIB, (unsigned)i);
    }
    for (int i = 0; i < BLOCKS; i += 2) {
        CHECK((blocks[i] = realloc(blocks[i], 3 * MIB)) != NULL, "realloc to 3 MiB is NULL");
        CHECK(first_difference(blocks[i], 1200 * KIB, (unsigned)i) == 1200 * KIB, "block %d lost its contents", i);
    }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    for (int i = 0; i < WARM; i++) free(warm[i]);
    malloc_trim(0);
    CHECK(resident() < 20 * MIB, "%zu KiB are resident once all is freed and trimmed", resident() / KIB);
    return 0;
}
