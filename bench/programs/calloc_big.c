/* One calloc of many megabytes: `calloc_big MIB`. What it costs in time and in resident memory
 * (pages of files aside: code that runs for the first time is not the block's), and,
 * checked afterwards, that it is all zero: first in a fresh process, then with dirty memory of the same
 * size freed just before. */
#include "common.h"

static int all_zero(const uint64_t *p, size_t bytes) {
    uint64_t seen = 0;
    for (size_t i = 0; i < bytes / sizeof *p; i++) seen |= p[i];
    return seen == 0;
}

int main(int argc, char **argv) {
    size_t bytes = (size_t)argument(argc, argv, 1, 128) << 20;
    free(must(malloc(1)));
    uint64_t rss = anonymous_kib(), start = wall_ns();
    uint64_t *p = must(calloc(1, bytes));
    uint64_t spent = wall_ns() - start, grown = anonymous_kib();
    if (!all_zero(p, bytes)) broken("calloc_big: not zero");
    memset(p, 0xff, bytes);
    free(p);

    uint64_t again = wall_ns();
    p = must(calloc(1, bytes));
    again = wall_ns() - again;
    if (!all_zero(p, bytes)) broken("calloc_big: reused memory is not zero");
    free(p);
    print("wall_ns", spent);
    print("grown_kib", grown > rss ? grown - rss : 0);
    print("wall_again_ns", again);
    return 0;
}
