// The threads of this process, as the kernel counts them.
#ifndef TASKS_H
#define TASKS_H

#include <dirent.h>

#include "check.h"

// Counted without allocating more than a directory's buffer.
static inline int tasks(void) {
    int count = 0;
    DIR *folder = opendir("/proc/self/task");
    CHECK(folder != NULL, "/proc/self/task cannot be read");
    for (struct dirent *entry; (entry = readdir(folder));) count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static inline void wait_for_tasks(int wanted, const char *where) {
    for (int tries = 0; tasks() != wanted; tries++) {
        CHECK(tries < 2000, "%s: %d threads and not %d", where, tasks(), wanted);
        usleep(10000);
    }
}

#endif
