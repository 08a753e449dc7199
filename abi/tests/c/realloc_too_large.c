// limits: a block does not grow beyond what the machine could ever hold, whatever its size was: NULL, and it stays
// also: glibc
#include <sys/sysinfo.h>

#include "check.h"

int main(void) {
    int mode = '0';
    FILE *file = fopen("/proc/sys/vm/overcommit_memory", "r");
    if (file) mode = getc(file), fclose(file);
    if (mode != '0') SKIP("this machine promises any amount of memory, or counts what it promises");
    struct sysinfo info;
    CHECK(sysinfo(&info) == 0, "sysinfo fails");
    size_t all = (size_t)(info.totalram + info.totalswap) * info.mem_unit;
    const size_t sizes[] = {10, 40000, 100000, 600 * KIB, MIB, 3 * MIB + 17, 20 * MIB, 40 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *block = malloc(sizes[i]);
        CHECK(block != NULL, "malloc(%zu) is NULL", sizes[i]);
        fill(block, sizes[i], 7);
        for (size_t large = all + 2 * GIB; large < (size_t)1 << 45; large *= 2) {
            CHECK(realloc(block, large) == NULL, "a block of %zu bytes grows to %zu", sizes[i], large);
            CHECK(first_difference(block, sizes[i], 7) == sizes[i], "a block of %zu bytes loses contents", sizes[i]);
        }
        free(block);
    }
    return 0;
}
