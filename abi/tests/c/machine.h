// What the machine has left: programs that need much of it ask first, for others run beside them.
#ifndef MACHINE_H
#define MACHINE_H

#include "check.h"

// Reads the start of a file into `text`, without allocating.
static inline void read_start(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, size - 1);
    text[n > 0 ? n : 0] = 0;
    if (fd >= 0) close(fd);
}

// Whether the kernel promises no more memory than there is (`vm.overcommit_memory=2`).
static inline int promises_little(void) {
    char text[8];
    read_start("/proc/sys/vm/overcommit_memory", text, sizeof text);
    return text[0] == '2';
}

// A line of /proc/meminfo, in bytes; SIZE_MAX where it is missing.
static inline size_t machine_has(const char *line) {
    char text[4096];
    read_start("/proc/meminfo", text, sizeof text);
    char *found = strstr(text, line);
    return found ? strtoul(found + strlen(line), NULL, 10) * KIB : SIZE_MAX;
}

// Bytes that programs may still take.
static inline size_t available(void) {
    size_t free = machine_has("MemAvailable:"), promised = machine_has("Committed_AS:"), most = machine_has("CommitLimit:");
    if (!promises_little()) return free;
    size_t left = most > promised ? most - promised : 0;
    return left < free ? left : free;
}

#endif
