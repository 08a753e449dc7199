/* What comes back when a program is done with memory: `purge MIB KEEP_ONE_IN SLEEP_MS`. MIB of objects
 * of 17 to 512 bytes are allocated and filled, then freed in random order (all, or all but one in
 * KEEP_ONE_IN), and the process sleeps without a single call. The resident size afterwards is the
 * figure. The table of pointers is not malloc's, and gone before the resident size is read. */
#include "common.h"

int main(int argc, char **argv) {
    uint64_t mib = argument(argc, argv, 1, 276);
    uint64_t keep = argument(argc, argv, 2, 0);
    uint64_t sleep_ms = argument(argc, argv, 3, 3000);
    uint64_t wanted = mib << 20, total = 0, live = 0;
    size_t room = wanted / 17 + 1, count = 0, kept = 0;
    struct Object { unsigned char *at; size_t size; } *objects = table(room * sizeof *objects);
    Random random = RANDOM(3);

    while (total < wanted) {
        size_t size = random_size(&random, 4, 9);
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
    size_t used = (kept * sizeof *objects + page - 1) / page * page, all = (room * sizeof *objects + page - 1) / page * page;
    if (munmap((char *)objects + used, all - used)) broken("purge: munmap failed");

    struct timespec pause = {(time_t)(sleep_ms / 1000), (long)(sleep_ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
    uint64_t rss = rss_kib() - used / 1024;

    for (size_t i = 0; i < kept; i++)
        for (size_t at = 0; at < objects[i].size; at++)
            if (objects[i].at[at] != (objects[i].size & 0x7f)) broken("purge: a kept object changed");
    for (size_t i = 0; i < kept; i++) free(objects[i].at);
    print("rss_kib", rss);
    print("peak_kib", peak);
    print("live_kib", live / 1024);
    print("ps_per_free", spent * 1000 / (count - kept));
    return 0;
}
