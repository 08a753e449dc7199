/* A trivial program: its resident size when main begins, and after one malloc. */
#include "common.h"

int main(void) {
    uint64_t start = rss_kib();
    char *p = must(malloc(100));
    memset(p, 1, 100);
    KEEP(p);
    uint64_t after = rss_kib();
    free(p);
    print("rss_kib", start);
    print("rss_after_one_kib", after);
    return 0;
}
