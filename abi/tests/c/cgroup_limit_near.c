// survival: a program that holds most of what its memory cgroup allows gets the same pages again, and not new ones each time
// also: glibc
#include <sys/resource.h>

#include "cgroup.h"

enum { ROUNDS = 5000, SIZE = 300000, EACH = 1000 };

static void hold_and_swing(void) {
    alarm(50);
    for (size_t i = 0; i < 185 * MIB / EACH; i++) memset(hide(malloc(EACH)), 1, EACH);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int round = 0; round < ROUNDS; round++) {
        char *block = malloc(SIZE);
        CHECK(block != NULL, "malloc(%d) is NULL", SIZE);
        memset(hide(block), 1, SIZE);
        free(block);
    }
    getrusage(RUSAGE_SELF, &after);
    long faults = after.ru_minflt - before.ru_minflt;
    CHECK(faults < 4 * ROUNDS, "%ld page faults in %d rounds", faults, ROUNDS);
}

int main(void) {
    run_in_cgroup(256 * MIB, hold_and_swing);
    return 0;
}
