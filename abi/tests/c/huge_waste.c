// survival: touched blocks a little above half a huge page, or above a whole one, are not paid for by whole ones
// also: glibc
#include <sys/resource.h>

#include "check.h"

enum { COUNT = 100 };

static size_t peak_kib(void) {
    struct rusage usage;
    CHECK(getrusage(RUSAGE_SELF, &usage) == 0, "getrusage fails");
    return (size_t)usage.ru_maxrss;
}

int main(void) {
    const size_t sizes[] = {1100000, 2200000};
    size_t live = 0;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < COUNT; i++) {
            char *block = malloc(sizes[s]);
            CHECK(block != NULL, "malloc is NULL");
            memset(hide(block), 1, sizes[s]);
            live += sizes[s];
        }
        CHECK(peak_kib() < live / 1024 * 5 / 4, "%zu KiB for %zu live", peak_kib(), live / 1024);
    }
    return 0;
}
