// survival: RLIMIT_AS lowered and lifted 100 times costs no memory each time, also while one block stays behind those that were freed
// also: glibc
#include <sys/resource.h>

#include "check.h"

enum { ROUNDS = 100, WARM = 10, BLOCKS = 30 };

static void use_blocks(int count) {
    void *blocks[BLOCKS];
    for (int i = 0; i < count; i++) CHECK((blocks[i] = malloc(10 * MIB)) != NULL, "malloc(10 MiB) is NULL, block %d of %d", i, count);
    while (count > 0) free(blocks[--count]);
}

int main(void) {
    struct rlimit limit, lowered;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit fails");
    lowered = limit, lowered.rlim_cur = GIB;
    void *stays = NULL;
    for (int behind = 0; behind < 2; behind++) {
        size_t warm = 0;
        for (int round = 0; round < ROUNDS; round++) {
            use_blocks(BLOCKS);
            CHECK(setrlimit(RLIMIT_AS, &lowered) == 0, "setrlimit fails");
            use_blocks(BLOCKS / 2);
            CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit fails");
            if (round == WARM) warm = resident();
        }
        size_t now = resident();
        CHECK(now < warm + 2 * MIB, "%zu KiB are resident, and were %zu after %d rounds", now / KIB, warm / KIB, WARM);
        void *blocks[BLOCKS];
        for (int i = 0; i < BLOCKS; i++) CHECK((blocks[i] = malloc(10 * MIB)) != NULL, "malloc(10 MiB) is NULL");
        // One stays where many were.
        free(stays);
        stays = blocks[BLOCKS - 1];
        for (int i = 0; i < BLOCKS - 1; i++) free(blocks[i]);
    }
    free(stays);
    return 0;
}
