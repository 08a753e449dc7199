// survival: whichever call the kernel refuses, small blocks cost none of them, and a large block at most a few
// long: only on the flagship
#include "refused.h"

static void small_blocks(void) {
    static void *blocks[1000];
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 1000; i++) CHECK((blocks[i] = malloc((size_t)(i % 500 + 1))) != NULL, "malloc is NULL");
        for (int i = 0; i < 1000; i++) free(blocks[i]);
    }
}

static void large_blocks(int count) {
    uint64_t state = 1;
    for (int i = 0; i < count; i++) {
        size_t size = (40 * KIB) << random_next(&state) % 11;
        char *block = malloc(size);
        if (!block) continue;
        block[0] = block[size - 1] = 1;
        char *moved = realloc(block, size + size / 2);
        free(moved ? moved : block);
    }
}

int main(void) {
    static const int numbers[] = {SYS_madvise, SYS_mremap, SYS_munmap, SYS_clock_gettime, SYS_prlimit64, SYS_sysinfo, SYS_openat,
                                  SYS_mprotect, SYS_mmap};
    enum { COUNT = sizeof numbers / sizeof *numbers, LARGE = 100 };
    for (int refused = 0; refused <= COUNT; refused++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            alarm(50);
            small_blocks();
            // All but the last two at once, which are what memory comes from.
            if (refused == COUNT) watch_calls(numbers, COUNT - 2, EPERM);
            else watch_calls(numbers + refused, 1, ENOMEM);
            small_blocks();
            long small = atomic_load(&calls_failed);
            CHECK(small < 100, "call %d: %ld are refused in 100,000 small frees", refused, small);
            large_blocks(LARGE);
            long large = atomic_load(&calls_failed) - small;
            CHECK(large < 8L * 3 * LARGE, "call %d: %ld are refused for %d large blocks", refused, large, LARGE);
            _exit(0);
        }
        int status = confined_end(child);
        CHECK(status == 0, "refusing call %d: status %#x", refused, status);
    }
    return 0;
}
