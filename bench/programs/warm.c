/* Touches MIB of memory and ends: `warm MIB`. On a virtual machine whose host takes free memory back,
 * the first touch of a page costs several times a later one; whoever is measured after this finds pages
 * the machine already holds. */
#include "common.h"

int main(int argc, char **argv) {
    size_t bytes = (size_t)argument(argc, argv, 1, 1024) << 20;
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) broken("warm: mmap failed");
    madvise(p, bytes, MADV_HUGEPAGE);
    uint64_t start = wall_ns();
    for (size_t at = 0; at < bytes; at += 4096) p[at] = 1;
    print("wall_ns", wall_ns() - start);
    return 0;
}
