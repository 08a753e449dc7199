// survival: large blocks that nobody touches use up the addresses set aside for the heap: small blocks are still to be had
// long: only on the flagship
// also: glibc
#include <malloc.h>
#include <sys/sysinfo.h>

#include "check.h"

int main(void) {
    alarm(55);
    struct sysinfo machine;
    sysinfo(&machine);
    // Eight times the memory, up to a TiB, and some more.
    size_t most = 8 * (size_t)machine.totalram * machine.mem_unit;
    if (most > 1024 * GIB) most = 1024 * GIB;
    size_t count = most / (16 * MIB) + 100;
    static void *large[1024 * 64 + 100];
    for (size_t i = 0; i < count; i++)
        if ((large[i] = malloc(16 * MIB)) == NULL) SKIP("this machine promises no %zu blocks of 16 MiB", count);
    for (int size = 8; size <= 32 * 1024; size *= 4) {
        enum { SMALL = 2000 };
        static char *small[SMALL];
        for (int i = 0; i < SMALL; i++) {
            CHECK((small[i] = malloc((size_t)size)) != NULL, "malloc(%d) is NULL beside %zu untouched blocks of 16 MiB", size, count);
            fill(small[i], (size_t)size, (unsigned)i);
        }
        for (int i = 0; i < SMALL; i++) {
            CHECK(first_difference(small[i], (size_t)size, (unsigned)i) == (size_t)size, "block %d of %d bytes was overwritten", i, size);
            free(small[i]);
        }
    }
    for (size_t i = 0; i < count; i++) free(large[i]);
    return 0;
}
