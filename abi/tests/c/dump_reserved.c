// survival: a core dump holds what the program uses and not the addresses that are only reserved: no mapping of the dump is above 1 GiB
#include <inttypes.h>

#include "check.h"

int main(void) {
    char *small = malloc(100), *large = malloc(3 * MIB);
    small[0] = large[0] = 1;
    FILE *maps = fopen("/proc/self/smaps", "r");
    if (!maps) SKIP("there is no /proc/self/smaps");
    uintptr_t from = 0, to = 0;
    int has_small = 0, has_large = 0;
    for (char line[500]; fgets(line, sizeof line, maps);) {
        uintptr_t first, end;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2) from = first, to = end;
        if (strncmp(line, "VmFlags:", 8) != 0 || strstr(line, " dd")) continue;
        CHECK(to - from < GIB, "%zu GiB at %#" PRIxPTR " would be dumped", (to - from) / GIB, from);
        has_small |= (uintptr_t)small >= from && (uintptr_t)small < to;
        has_large |= (uintptr_t)large >= from && (uintptr_t)large < to;
    }
    fclose(maps);
    CHECK(has_small && has_large, "what the program wrote would not be dumped: small %d, large %d", has_small, has_large);
    free(small), free(large);
    return 0;
}
