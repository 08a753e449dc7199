// design: large blocks that stay because as much is live go back when what is live is freed in small blocks
// link: heapwright
#include "check.h"

enum { LARGE = 180, SMALL = 400000, SIZE = 512, KEPT = 50 };

int main(void) {
    static char *large[LARGE], *small[SMALL];
    for (int i = 0; i < SMALL; i++) {
        CHECK((small[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(small[i], 1, SIZE);
    }
    for (int i = 0; i < LARGE; i++) {
        CHECK((large[i] = malloc(MIB)) != NULL, "malloc(1 MiB) is NULL");
        memset(large[i], 1, MIB);
    }
    for (int i = 0; i < LARGE; i++) free(large[i]);
    // No slab ends, so no free is one of granules.
    for (int i = 0; i < SMALL; i++)
        if (i % KEPT) free(small[i]);
    size_t left = resident();
    CHECK(left < 120 * MIB, "%zu MiB are resident, 4 of them live", left / MIB);
    return 0;
}
