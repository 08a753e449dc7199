// design: a block that grows by steps, between others so that it never grows in place, leaves no copies of itself behind
#include <sys/resource.h>

#include "check.h"

enum { STEP = 64 * 1024, STEPS = 384, MOST_MIB = 80 };

int main(void) {
    static char *between[STEPS];
    char *block = NULL;
    for (size_t i = 0; i < STEPS; i++) {
        CHECK((between[i] = malloc(STEP / 2)) != NULL, "malloc is NULL");
        between[i][0] = 1;
        CHECK((block = realloc(block, (i + 1) * STEP)) != NULL, "realloc is NULL at step %zu", i);
        for (size_t at = i * STEP; at < (i + 1) * STEP; at += 4096) block[at] = (char)(i + 1);
    }
    for (size_t i = 0; i < STEPS; i++) CHECK(block[i * STEP] == (char)(i + 1), "step %zu was lost", i);
    // 24 MiB, and 12 between.
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage fails");
    CHECK(usage.ru_maxrss < MOST_MIB * 1024, "%ld KiB at the peak", usage.ru_maxrss);
    for (size_t i = 0; i < STEPS; i++) free(between[i]);
    free(block);
    return 0;
}
