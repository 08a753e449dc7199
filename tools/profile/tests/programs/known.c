/* Sites of known sizes: 1 MiB, 10 MiB, 100 MiB and 1 GiB are allocated; all of the first and half of the second is live at the end. */
#include <stdlib.h>

static void *kept[1 << 17];
static int next;

#define SITE(name, bytes)                                      \
    __attribute__((noinline)) void *name(void) {               \
        void *block = malloc(bytes);                           \
        __asm__ volatile("" : "+r"(block));                    \
        return block;                                          \
    }

SITE(site_1m, 128)
SITE(site_10m, 1024)
SITE(site_100m, 4096)
SITE(site_1g, 262144)

#define MANY(site, bytes, all, keeps)                          \
    for (int i = 0; i < (all) / (bytes); i++) {                \
        void *block = site();                                  \
        if ((keeps) && i % ((keeps) + !(keeps)) == 0)         \
            kept[next++] = block;                              \
        else free(block);                                      \
    }

int main(void) {
    MANY(site_1m, 128, 1 << 20, 1)
    MANY(site_10m, 1024, 10 << 20, 2)
    MANY(site_100m, 4096, 100 << 20, 0)
    MANY(site_1g, 262144, 1 << 30, 0)
    return 0;
}
