// survival: in a memory cgroup of 64 MiB, phases that each fill 40 MiB with blocks of another size and free them all
// also: glibc
#include "cgroup.h"

static void phases(void) {
    alarm(50);
    const size_t sizes[] = {64, 4096, 200, 100000, 1000, 16, 3 * MIB, 30000, 500, 1500};
    static void *blocks[40 * MIB / 16];
    for (int round = 0; round < 3; round++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            // 16-byte blocks would need an array of pointers half as large as themselves: fewer of them.
            size_t count = (sizes[s] < 64 ? 10 * MIB : 40 * MIB) / sizes[s];
            for (size_t i = 0; i < count; i++) {
                CHECK((blocks[i] = malloc(sizes[s])) != NULL, "malloc(%zu) is NULL", sizes[s]);
                memset(blocks[i], 1, sizes[s]);
            }
            for (size_t i = 0; i < count; i++) free(blocks[i]);
        }
    }
}

int main(void) {
    run_in_cgroup(64 * MIB, phases);
    return 0;
}
