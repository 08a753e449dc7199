// survival: in a memory cgroup of 64 MiB, phases that each fill 40 MiB with blocks of another size and free them all
// long: only on the flagship
// also: glibc
#include "cgroup.h"

static void fill_and_free(void) { phases(3); }

int main(void) {
    run_in_cgroup(64 * MIB, fill_and_free);
    return 0;
}
