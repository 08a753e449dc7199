// heapwright.h: heapwright_stats_print writes a table to the descriptor given, allocates nothing, and keeps errno
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
    char text[16384] = "";
    CHECK(pread(fileno(file), text, sizeof text - 1, 0) > 50, "the table cannot be read");
    static const char *const rows[] = {"resident, now ", "live, in slabs ", "live, in runs ", "free, not yet given back ",
                                       "maps and descriptors ", "all of the heap ", "100.0%"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        CHECK(strstr(text, rows[i]), "the table has no \"%s\": %s", rows[i], text);
    free(block);
    return 0;
}
