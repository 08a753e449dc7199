// A memory cgroup of one's own, v1 or v2, where the machine lets us make one; and what fills it.
#ifndef CGROUP_H
#define CGROUP_H

#include <signal.h>
#include <sys/stat.h>

#include "check.h"

static inline int write_file(const char *directory, const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ssize_t n = write(fd, text, strlen(text));
    close(fd);
    return n == (ssize_t)strlen(text) ? 0 : -1;
}

// Runs `body` in a child inside a cgroup limited to `bytes`; skips the program where there can be none.
static inline void run_in_cgroup(size_t bytes, void (*body)(void)) {
    const char *roots[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"};
    const char *limits[] = {"memory.limit_in_bytes", "memory.max"};
    char directory[200], text[40];
    int version = -1;
    for (int i = 0; i < 2 && version < 0; i++) {
        snprintf(directory, sizeof directory, "%s/heapwright-test-%d", roots[i], (int)getpid());
        if (mkdir(directory, 0755) != 0) continue;
        snprintf(text, sizeof text, "%zu", bytes);
        if (write_file(directory, limits[i], text) == 0) version = i;
        else rmdir(directory);
    }
    if (version < 0) SKIP("no memory cgroup can be made on this machine");
    if (version == 1) write_file(directory, "memory.swap.max", "0");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        snprintf(text, sizeof text, "%d", (int)getpid());
        if (write_file(directory, "cgroup.procs", text) != 0) _exit(SKIPPED);
        body();
        _exit(0);
    }
    int status = end_of(child);
    for (int i = 0; i < 100 && rmdir(directory) != 0; i++) usleep(10000);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) SKIP("no process can be moved into a memory cgroup on this machine");
    CHECK(!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL, "killed for more than %zu MiB of memory", bytes / MIB);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the process in the cgroup ends with status %#x", status);
}

// Phases that each fill 40 MiB with blocks of another size and free them all.
static inline void phases(int rounds) {
    alarm(50);
    const size_t sizes[] = {64, 4096, 200, 100000, 1000, 16, 3 * MIB, 30000, 500, 1500};
    static void *blocks[40 * MIB / 16];
    for (int round = 0; round < rounds; round++) {
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

#endif
