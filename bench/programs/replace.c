/* Random replacement: LIVE objects of 17 to 1,024 bytes, every doubling equally likely; then N times
 * one of them, chosen at random, is freed and another allocated in its place.
 * `replace LIVE N TOUCH [LOW HIGH]`, sizes between 2^LOW and 2^HIGH.
 *
 * With TOUCH the object's first word is written when it is allocated and read before it is freed, as
 * programs do; without, only the allocator touches memory. Making the random choices is timed too, and
 * costs the same under every allocator. */
#include "common.h"

int main(int argc, char **argv) {
    uint32_t live = (uint32_t)argument(argc, argv, 1, 1000000);
    uint64_t n = argument(argc, argv, 2, 4000000);
    int touch = argument(argc, argv, 3, 1) != 0;
    unsigned low = (unsigned)argument(argc, argv, 4, 4), high = (unsigned)argument(argc, argv, 5, 10);
    uint64_t **objects = table(live * sizeof *objects);
    Random random = RANDOM(7);

    uint64_t start = cpu_ns();
    for (uint32_t i = 0; i < live; i++) {
        objects[i] = must(malloc(random_size(&random, low, high)));
        *objects[i] = ~(uint64_t)i;
    }
    uint64_t filled = cpu_ns();
    if (touch) {
        for (uint64_t i = 0; i < n; i++) {
            uint32_t at = random_below(&random, live);
            if (*objects[at] != ~(uint64_t)at) broken("replace: an object lost its mark");
            free(objects[at]);
            objects[at] = must(malloc(random_size(&random, low, high)));
            *objects[at] = ~(uint64_t)at;
        }
    } else {
        for (uint64_t i = 0; i < n; i++) {
            uint32_t at = random_below(&random, live);
            free(objects[at]);
            objects[at] = must(malloc(random_size(&random, low, high)));
        }
    }
    uint64_t replaced = cpu_ns();
    uint64_t rss = rss_kib();
    uint64_t before = cpu_ns();
    for (uint32_t i = 0; i < live; i++) {
        if (touch && *objects[i] != ~(uint64_t)i) broken("replace: an object lost its mark");
        free(objects[i]);
    }
    uint64_t freed = cpu_ns();

    print("cpu_ns", replaced - filled);
    print("ps_per_replacement", (replaced - filled) * 1000 / n);
    print("ps_per_fill", (filled - start) * 1000 / live);
    print("ps_per_free", (freed - before) * 1000 / live);
    print("rss_kib", rss - live * sizeof *objects / 1024);
    return 0;
}
