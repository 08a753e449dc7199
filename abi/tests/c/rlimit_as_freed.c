// survival: `ulimit -v` used up by large blocks, two fifths of which are freed, whole or one by one: the first small blocks are to be had
// also: glibc
#include "limited.h"

static void use_small(int round) {
    enum { SMALL = 2000 };
    static char *small[SMALL];
    for (size_t size = 48; size <= 12 * KIB; size *= 3) {
        for (int i = 0; i < SMALL; i++) {
            CHECK((small[i] = malloc(size)) != NULL, "malloc(%zu) is NULL in round %d, block %d", size, round, i);
            fill(small[i], size, (unsigned)i);
        }
        for (int i = 0; i < SMALL; i++) {
            CHECK(first_difference(small[i], size, (unsigned)i) == size, "block %d of %zu bytes was overwritten", i, size);
            free(small[i]);
        }
    }
}

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 400 * MIB, count, arguments);
    for (int round = 0; round < 2; round++) {
        static void *large[2000];
        int filled = 0;
        while (filled < 2000 && (large[filled] = malloc(300 * KIB)) != NULL) filled++;
        CHECK(filled > 500, "%d blocks of 300 KiB fit under 400 MiB", filled);
        for (int i = 0; i < filled; i++)
            if (round == 0 ? i < filled * 2 / 5 : i % 5 < 2) free(large[i]), large[i] = NULL;
        use_small(round);
        for (int i = 0; i < filled; i++) free(large[i]);
    }
    return 0;
}
