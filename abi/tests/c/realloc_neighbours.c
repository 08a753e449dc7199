// C23 7.24.3.7: growing or shrinking a block in place leaves every other block as it was
// also: glibc
#include "check.h"

enum { COUNT = 300, ROUNDS = 4000 };

int main(void) {
    static char *blocks[COUNT];
    static size_t sizes[COUNT];
    uint64_t state = 1;
    for (int i = 0; i < COUNT; i++) {
        blocks[i] = malloc(sizes[i] = 1 + random_next(&state) % 3000);
        CHECK(blocks[i] != NULL, "malloc(%zu) is NULL", sizes[i]);
        fill(blocks[i], sizes[i], (unsigned)i);
    }
    for (int round = 0; round < ROUNDS; round++) {
        int i = (int)(random_next(&state) % COUNT);
        size_t limit = round % 50 ? 6000 : 600 * KIB, to = 1 + random_next(&state) % limit;
        size_t kept = sizes[i] < to ? sizes[i] : to;
        blocks[i] = realloc(blocks[i], to);
        CHECK(blocks[i] != NULL, "realloc to %zu is NULL", to);
        fill_from(blocks[i], kept, to, (unsigned)i);
        sizes[i] = to;
        if (round % 100) continue;
        for (int j = 0; j < COUNT; j++) {
            size_t at = first_difference(blocks[j], sizes[j], (unsigned)j);
            CHECK(at == sizes[j], "byte %zu of a block of %zu changed while others were reallocated", at, sizes[j]);
        }
    }
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    return 0;
}
