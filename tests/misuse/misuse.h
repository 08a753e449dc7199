// What every misuse program shares: it shows the pointer that the message must name, then makes its one mistake.
#ifndef MISUSE_H
#define MISUSE_H

#include <pthread.h>

#include "check.h"

// Prints `pointer`, on which the message is matched, and hides it from the compiler's own warnings.
static inline void *shown(const void *pointer) {
    printf("%p\n", pointer);
    fflush(stdout);
    return hide((void *)pointer);
}

// Frees and allocates so many small blocks of `size` that every cache of the thread passes blocks on.
static inline void pass_blocks_on(size_t size) {
    enum { MANY = 5000 };
    static void *blocks[MANY];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < MANY; i++) CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
        for (int i = 0; i < MANY; i++) free(blocks[i]);
    }
}

#endif
