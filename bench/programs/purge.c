/* What comes back when a program is done with memory: `purge MIB MAX KEEP_ONE_IN SLEEP_MS`. MIB of objects
 * of 16 to MAX bytes are allocated and filled, then freed in random order (all, or all but one in
 * KEEP_ONE_IN), and the process sleeps without a single call. The resident size afterwards is the
 * figure. The table of pointers is not malloc's, and not counted.
 *
 * `floor_kib` is the pages of 4 KiB that hold a byte of a kept object: what nobody who cannot move objects
 * gets below, given where they lie. */
#include "common.h"

struct Object { unsigned char *at; size_t size; };

/* How many pages of 4 KiB the objects touch; the set of page numbers is a table with open addressing. */
static uint64_t pages_of(const struct Object *objects, size_t count) {
    size_t slots = 1024;
    while (slots < count * 8) slots *= 2;
    uint64_t *set = table(slots * sizeof *set), pages = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t last = ((uintptr_t)objects[i].at + objects[i].size - 1) >> 12;
        for (uint64_t page = (uintptr_t)objects[i].at >> 12; page <= last; page++) {
            size_t at = (page * 0x9e3779b97f4a7c15u) % slots;
            while (set[at] && set[at] != page) at = (at + 1) % slots;
            pages += set[at] == 0;
            set[at] = page;
        }
    }
    return pages;
}

int main(int argc, char **argv) {
    uint64_t mib = argument(argc, argv, 1, 276);
    uint32_t max = (uint32_t)argument(argc, argv, 2, 2048);
    uint64_t keep = argument(argc, argv, 3, 0);
    uint64_t sleep_ms = argument(argc, argv, 4, 3000);
    uint64_t wanted = mib << 20, total = 0, live = 0;
    size_t room = wanted / max * 4 + 1024, count = 0, kept = 0;
    struct Object *objects = table(room * sizeof *objects);
    Random random = RANDOM(3);

    while (total < wanted) {
        size_t size = 16 + random_below(&random, max - 15);
        if (count == room) broken("purge: the table of objects is too small");
        objects[count].at = must(malloc(size));
        objects[count].size = size;
        memset(objects[count].at, (int)(size & 0x7f), size);
        total += size;
        count++;
    }
    uint64_t peak = rss_kib() - room * sizeof *objects / 1024;
    for (size_t i = count; i-- > 1;) {
        size_t j = random_below(&random, (uint32_t)(i + 1));
        struct Object other = objects[i];
        objects[i] = objects[j];
        objects[j] = other;
    }
    uint64_t start = cpu_ns();
    for (size_t i = 0; i < count; i++) {
        if (keep && i % keep == 0) {
            live += objects[i].size;
            objects[kept++] = objects[i];
        } else {
            free(objects[i].at);
        }
    }
    uint64_t spent = cpu_ns() - start;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t used = (kept * sizeof *objects + page - 1) / page * page;
    size_t all = (room * sizeof *objects + page - 1) / page * page;
    if (munmap((char *)objects + used, all - used)) broken("purge: munmap failed");

    struct timespec pause = {(time_t)(sleep_ms / 1000), (long)(sleep_ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
    uint64_t rss = rss_kib() - used / 1024;

    for (size_t i = 0; i < kept; i++)
        for (size_t at = 0; at < objects[i].size; at++)
            if (objects[i].at[at] != (objects[i].size & 0x7f)) broken("purge: a kept object changed");
    uint64_t pages = pages_of(objects, kept) * 4;
    for (size_t i = 0; i < kept; i++) free(objects[i].at);
    print("rss_kib", rss);
    print("peak_kib", peak);
    print("live_kib", live / 1024);
    print("floor_kib", pages);
    print("ps_per_free", spent * 1000 / (count - kept));
    return 0;
}
