// How many mappings the process has, read without allocating.
#ifndef MAPS_H
#define MAPS_H

#include "check.h"

// What an allocator may add to them, whatever the program does, beside one for each block above 32 MiB:
// twice 512 moves and 1,024 blocks in small pages, and a few of its own.
enum { MOST_MAPPINGS = 2 * (512 + 1024) + 32 };

static inline int mappings(void) {
    static char text[1 << 16];
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC), lines = 0;
    CHECK(fd >= 0, "/proc/self/maps cannot be read");
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < n; i++) lines += text[i] == '\n';
    close(fd);
    return lines;
}

#endif
