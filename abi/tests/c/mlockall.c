// POSIX.1-2024 mlockall: MCL_CURRENT and MCL_FUTURE lock what is used, not what the allocator merely reserves
// also: glibc
#include <sys/mman.h>

#include "cgroup.h"
#include "threads.h"

static void locked(void) {
    alarm(50);
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) _exit(SKIPPED);
    void *blocks[50];
    for (int i = 0; i < 50; i++) {
        CHECK((blocks[i] = malloc(MIB)) != NULL, "malloc(1 MiB) is NULL after mlockall");
        memset(blocks[i], 1, MIB);
    }
    pthread_t threads[2];
    start_churning(threads, 2);
    use_every_size();
    usleep(100000);
    stop_and_join(threads, 2);
    CHECK(resident() < 200 * MIB, "%zu MiB resident after mlockall", resident() / MIB);
    for (int i = 0; i < 50; i++) free(blocks[i]);
}

int main(void) {
    // The cgroup keeps a mistake from taking the machine's memory.
    run_in_cgroup(400 * MIB, locked);
    return 0;
}
