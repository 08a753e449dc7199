// survival: a kernel that refuses madvise is asked again ever more rarely, also when it refuses the clock
#include "refused.h"

int main(void) {
    alarm(50);
    const int numbers[] = {SYS_madvise};
    watch_calls(numbers, 1, EPERM);
    give_back_in_vain(200 * MIB, 1000000, 2000);
    // The clock too: read once in 64 frees at most.
    const int clock[] = {SYS_clock_gettime};
    watch_calls(clock, 1, ENOSYS);
    give_back_in_vain(200 * MIB, 500000, 500000 / 32);
    return 0;
}
