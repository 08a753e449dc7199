// survival: a block resized to and fro across 32 MiB, where runs end and mappings begin, is not copied each time: counted in page faults
// also: glibc
#include <sys/resource.h>

#include "check.h"

static long faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

int main(void) {
    const size_t pairs[][2] = {{40, 30}, {30, 40}, {31, 64}, {33, 31}};
    for (int i = 0; i < 4; i++) {
        char *block = malloc(pairs[i][0] * MIB);
        CHECK(block != NULL, "malloc is NULL");
        for (size_t at = 0; at < pairs[i][0] * MIB; at += 4096) block[at] = (char)(at >> 12);
        size_t kept = (pairs[i][0] < pairs[i][1] ? pairs[i][0] : pairs[i][1]) * MIB;
        long before = faults();
        for (int round = 1; round <= 60; round++) {
            block = realloc(block, pairs[i][round % 2] * MIB);
            CHECK(block != NULL, "realloc is NULL in round %d", round);
        }
        long more = faults() - before;
        for (size_t at = 0; at < kept; at += 4096) CHECK(block[at] == (char)(at >> 12), "byte %zu was lost", at);
        // Two copies of the larger block at most.
        CHECK(more < 2 * 64 * 256, "%zu to %zu MiB and back: %ld page faults in 60 rounds", pairs[i][0], pairs[i][1], more);
        free(block);
    }
    return 0;
}
