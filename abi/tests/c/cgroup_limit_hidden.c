// survival: a memory cgroup whose files can no longer be opened: the limit that was read before still holds
// long: only on the flagship
// also: glibc
#include <sys/resource.h>

#include "cgroup.h"

static void hide_and_fill(void) {
    // From 8 MiB on an allocator has reason to look at the limit.
    void *large = malloc(12 * MIB);
    CHECK(large != NULL, "malloc(12 MiB) is NULL");
    memset(hide(large), 1, 12 * MIB);
    free(large);
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_NOFILE, &none) == 0, "descriptors cannot be forbidden");
    phases(10);
}

int main(void) {
    run_in_cgroup(64 * MIB, hide_and_fill);
    return 0;
}
