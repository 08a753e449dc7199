// heapwright.h: heapwright_stats counts what is live, resident, cached and given back; NULL is -1 with EINVAL
// link: heapwright
#include <heapwright.h>

#include "check.h"

enum { COUNT = 40000, SIZE = 500 };

static struct heapwright_stats now(void) {
    struct heapwright_stats stats;
    memset(&stats, 0xff, sizeof stats);
    CHECK(heapwright_stats(&stats) == 0, "heapwright_stats fails with errno %d", errno);
    CHECK(stats.peak_resident_bytes >= stats.resident_bytes, "peak_resident_bytes %zu < resident_bytes %zu",
          stats.peak_resident_bytes, stats.resident_bytes);
    CHECK(stats.committed_bytes < (size_t)1 << 46, "committed_bytes is %zu", stats.committed_bytes);
    CHECK(stats.purged_bytes < (size_t)1 << 46, "purged_bytes is %zu", stats.purged_bytes);
    return stats;
}

int main(void) {
    static char *blocks[COUNT];
    const size_t live = (size_t)COUNT * SIZE;
    struct heapwright_stats start = now();
    for (int i = 0; i < COUNT; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(blocks[i], 1, SIZE);
    }
    struct heapwright_stats full = now();
    size_t grown = full.live_bytes - start.live_bytes;
    CHECK(grown >= live && grown < live + live / 4, "live_bytes grew by %zu for %zu", grown, live);
    CHECK(full.resident_bytes >= live && full.committed_bytes >= live, "%zu live, but resident_bytes %zu, committed_bytes %zu", live,
          full.resident_bytes, full.committed_bytes);
    CHECK(full.resident_bytes <= resident() + 2 * MIB, "resident_bytes is %zu, the kernel says %zu", full.resident_bytes, resident());
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    size_t returned = heapwright_purge();
    struct heapwright_stats after = now();
    CHECK(after.live_bytes < start.live_bytes + live / 20, "live_bytes is %zu after all is freed, %zu at the start",
          after.live_bytes, start.live_bytes);
    CHECK(after.purged_bytes >= full.purged_bytes + returned, "purged_bytes grew by %zu, heapwright_purge() says %zu",
          after.purged_bytes - full.purged_bytes, returned);
    // A kernel that counts on each processor apart remembers a peak a few pages below what it said at that moment.
    CHECK(after.peak_resident_bytes + MIB >= full.resident_bytes, "peak_resident_bytes fell");
    CHECK(after.resident_bytes + live / 2 < full.resident_bytes, "resident_bytes is %zu after purge, %zu before",
          after.resident_bytes, full.resident_bytes);
    errno = 0;
    CHECK(heapwright_stats(hide(NULL)) == -1 && errno == EINVAL, "heapwright_stats(NULL) does not fail with EINVAL");
    return 0;
}
