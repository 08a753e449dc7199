// survival: a process forks that has taken more than the machine's memory in blocks of 40 MiB, and touched a page of each
#include <sys/wait.h>

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
    int status = 0;
    pid_t child = fork();
    CHECK(child >= 0, "fork is refused: %s", strerror(errno));
    if (child == 0) _exit(0);
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child ends with %d", status);
    return 0;
}
