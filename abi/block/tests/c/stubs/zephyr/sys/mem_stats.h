// A heap's figures as Zephyr has them.
#ifndef ZEPHYR_MEM_STATS_H
#define ZEPHYR_MEM_STATS_H

#include <stddef.h>

struct sys_memory_stats {
    size_t free_bytes;
    size_t allocated_bytes;
    size_t max_allocated_bytes;
};

#endif
