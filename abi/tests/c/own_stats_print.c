// heapwright.h: heapwright_stats_print writes text to the descriptor given, allocates nothing, and keeps errno
// link: heapwright
#include <heapwright.h>

#include "check.h"

int main(void) {
    FILE *file = tmpfile();
    CHECK(file != NULL, "tmpfile fails");
    void *block = malloc(100000);
    struct heapwright_stats before, after;
    CHECK(heapwright_stats(&before) == 0, "heapwright_stats fails");
    errno = 4242;
    heapwright_stats_print(fileno(file));
    CHECK(errno == 4242, "heapwright_stats_print sets errno to %d", errno);
    heapwright_stats_print(-1);
    CHECK(errno == 4242, "heapwright_stats_print(-1) sets errno to %d", errno);
    CHECK(heapwright_stats(&after) == 0, "heapwright_stats fails");
    CHECK(after.live_bytes == before.live_bytes, "heapwright_stats_print changes live_bytes from %zu to %zu", before.live_bytes,
          after.live_bytes);
    off_t size = lseek(fileno(file), 0, SEEK_END);
    CHECK(size > 50, "heapwright_stats_print wrote %ld bytes", (long)size);
    free(block);
    return 0;
}
