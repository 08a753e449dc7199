// survival: RLIMIT_AS lowered, many blocks given up, and the limit lifted: mappings that the kernel puts in the place of those blocks are
//   blocks like any other
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include <malloc.h>
#include <sys/resource.h>

#include "check.h"

enum { BLOCKS = 60, LARGE = 20 };

int main(void) {
    alarm(55);
    struct rlimit limit, lowered;
    char *blocks[BLOCKS], *large[LARGE];
    free(malloc(100));
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit fails");
    lowered = limit, lowered.rlim_cur = GIB;
    CHECK(setrlimit(RLIMIT_AS, &lowered) == 0, "setrlimit fails");
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(2 * MIB)) != NULL, "malloc(2 MiB) is NULL under a limit of 1 GiB");
        blocks[i][0] = blocks[i][2 * MIB - 1] = (char)i;
    }
    // All but the last; who asks for more than there is makes the heap give up what is empty.
    for (int i = 0; i < BLOCKS - 1; i++) free(blocks[i]);
    free(malloc(2 * GIB));
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit fails");
    for (int i = 0; i < LARGE; i++) {
        CHECK((large[i] = malloc(40 * MIB)) != NULL, "malloc(40 MiB) is NULL with no limit left");
        fill(large[i], 40 * MIB, (unsigned)i);
        CHECK(malloc_usable_size(large[i]) >= 40 * MIB, "its usable size is %zu", malloc_usable_size(large[i]));
    }
    for (int i = 0; i < LARGE; i++) {
        large[i] = realloc(large[i], (i % 2 ? 60 : 34) * MIB);
        CHECK(large[i] && first_difference(large[i], 34 * MIB, (unsigned)i) == 34 * MIB, "realloc loses what block %d held", i);
        free(large[i]);
    }
    CHECK(blocks[BLOCKS - 1][0] == BLOCKS - 1, "the block that stayed was overwritten");
    free(blocks[BLOCKS - 1]);
    return 0;
}
