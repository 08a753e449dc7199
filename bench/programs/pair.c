/* malloc and free of one size, last in first out: `pair SIZE N`. The objects are not touched, so that
 * what is timed is the two calls. */
#include "common.h"

int main(int argc, char **argv) {
    size_t size = argument(argc, argv, 1, 16);
    uint64_t n = argument(argc, argv, 2, 40000000);
    for (int i = 0; i < 1000; i++) free(must(malloc(size)));

    unsigned char *probe = must(malloc(size));
    memset(probe, 0xa5, size);
    uint64_t start = cpu_ns();
    for (uint64_t i = 0; i < n; i++) {
        void *p = malloc(size);
        KEEP(p);
        free(p);
    }
    uint64_t spent = cpu_ns() - start;
    for (size_t i = 0; i < size; i++)
        if (probe[i] != 0xa5) broken("pair: a live object was overwritten");
    free(probe);

    print("cpu_ns", spent);
    print("ps_per_pair", spent * 1000 / n);
    return 0;
}
