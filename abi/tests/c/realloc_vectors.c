// design: vectors that double up to 2 MiB take the pages that others left, and are not faulted in again by each step: counted in page faults
// again: HEAPWRIGHT=hugepages=on
#include <sys/resource.h>

#include "check.h"

enum { VECTORS = 64, STEPS = 50000 };

static size_t held[VECTORS];
static char *vector[VECTORS];

static void touch(int i, size_t from) {
    for (size_t at = from; at < held[i]; at += 4096) vector[i][at] = (char)i;
}

int main(void) {
    uint64_t state = 88172645463325252u;
    for (int step = 0; step < STEPS; step++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        int i = (int)(state % VECTORS);
        size_t size = held[i] * 2 + 16;
        if (size > 2 * MIB) {
            for (size_t at = 0; at < held[i]; at += 64 * KIB) CHECK(vector[i][at] == (char)i, "byte %zu was lost", at);
            free(vector[i]);
            vector[i] = NULL, held[i] = 0;
            continue;
        }
        size_t before = held[i];
        CHECK((vector[i] = realloc(vector[i], size)) != NULL, "realloc to %zu is NULL", size);
        held[i] = size;
        vector[i][before] = (char)i;
        touch(i, (before + 4095) / 4096 * 4096);
    }
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage fails");
    // The peak of 80 MB is 20,000 faults in small pages; a malloc that faults each step in again, as glibc, has 300,000.
    long most = getenv("HEAPWRIGHT") ? 25000 : 40000;
    CHECK(usage.ru_minflt < most, "%ld page faults", usage.ru_minflt);
    for (int i = 0; i < VECTORS; i++) free(vector[i]);
    return 0;
}
