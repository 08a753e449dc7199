// survival: setrlimit(RLIMIT_AS) by a running program leaves room for what it already used, and for mappings and threads of its own
// long: only on the flagship
// also: glibc
#include <sys/mman.h>

#include "limited.h"

int main(void) {
    alarm(55);
    struct rlimit limit = {300 * MIB, 300 * MIB};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit fails");
    void *mapping = mmap(NULL, 20 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapping != MAP_FAILED, "under a limit of 300 MiB set at run time the program cannot map 20 MiB: errno %d", errno);
    munmap(mapping, 20 * MIB);
    live_under(150 * MIB, 300 * MIB, 1);
    return 0;
}
