/* What small objects cost: `objects N BYTES`. N objects of BYTES bytes (8 or more) are made, each holding the address of the
 * one before, so that nothing else is needed to keep them. Printed is what the process's resident memory grew by, for each
 * object, in thousandths of a byte. */
#include "common.h"

int main(int argc, char **argv) {
    uint64_t count = argument(argc, argv, 1, 10000000), size = argument(argc, argv, 2, 8);
    void **last = must(malloc(size));
    *last = NULL;
    uint64_t before = rss_kib();
    for (uint64_t i = 0; i < count; i++) {
        void **object = must(malloc(size));
        *object = last;
        last = object;
    }
    uint64_t after = rss_kib(), made = 0;
    print("start_kib", before);
    print("millibytes_per_object", (after - before) * 1024 * 1000 / count);
    for (; last; made++) {
        void **next = *last;
        free(last);
        last = next;
    }
    if (made != count + 1) broken("objects: an object was lost");
    return 0;
}
