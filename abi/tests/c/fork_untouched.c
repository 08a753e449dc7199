// survival: a process forks that has taken more than the machine's memory in blocks of 40 MiB, and touched a page of each
#include "machine.h"

int main(void) {
    if (promises_little()) SKIP("the kernel promises no more memory than there is");
    size_t size = 40 * MIB, all = machine_has("MemTotal:") + machine_has("SwapTotal:");
    if (all > 1024 * 1024 * MIB) SKIP("that would be more blocks than a process may have mappings");
    for (size_t taken = 0; taken < all + all / 4; taken += size) {
        char *block = malloc(size);
        CHECK(block != NULL, "malloc is NULL after %zu MiB", taken / MIB);
        block[size / 2] = 1;
    }
    pid_t child = fork();
    if (child == 0) _exit(0);
    ended_well(child, "child");
    return 0;
}
