// survival: mlockall makes the kernel refuse to take memory back: it is asked again ever more rarely
#include <sys/mman.h>

#include "cgroup.h"
#include "refused.h"

static void locked(void) {
    alarm(50);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(SKIPPED);
    const int numbers[] = {SYS_madvise};
    watch_calls(numbers, 1, 0);
    give_back_in_vain(100 * MIB, 200000, 2000);
}

int main(void) {
    // The cgroup keeps a mistake from taking the machine's memory.
    run_in_cgroup(400 * MIB, locked);
    return 0;
}
