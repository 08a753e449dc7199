/* A block that grows by steps of 1 MiB from 1 MiB: `realloc_grow MIB`, every page of each new MiB
 * written as it comes, all of them verified at the end. `bare` is the same without touching anything
 * but the first page: what the reallocs alone cost. */
#include "common.h"

/* CPU time in nanoseconds: there is one thread and it never sleeps. */
static uint64_t grow(size_t mib, size_t touched) {
    const size_t page = 4096, step = 1 << 20;
    uint64_t start = cpu_ns();
    char *p = must(malloc(step));
    for (size_t size = step;;) {
        for (size_t at = size - step; at < size - step + touched; at += page)
            *(size_t *)(p + at) = at ^ 0x5a5a;
        if (size == mib << 20) break;
        size += step;
        p = must(realloc(p, size));
    }
    uint64_t spent = cpu_ns() - start;
    for (size_t mb = 0; mb < mib; mb++)
        for (size_t at = mb * step; at < mb * step + touched; at += page)
            if (*(size_t *)(p + at) != (at ^ 0x5a5a)) broken("realloc_grow: contents were lost");
    free(p);
    return spent;
}

int main(int argc, char **argv) {
    size_t mib = argument(argc, argv, 1, 64);
    free(must(malloc(1)));
    uint64_t rss = rss_kib();
    uint64_t touched = grow(mib, 1 << 20);
    print("cpu_ns", touched);
    print("start_rss_kib", rss);
    print("bare_ns", grow(mib, 4096));
    return 0;
}
