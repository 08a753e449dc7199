// zs_destroy_pool: all memory of a pool goes back, tables too
#include "check.h"

int main(void) {
    static unsigned long handles[20000];
    unsigned long before = 0;
    for (int round = 0; round < 20; round++) {
        struct zs_pool *pool = zs_create_pool("pool");
        for (int i = 0; i < 20000; i++) handles[i] = zs_malloc(pool, 100, GFP_KERNEL);
        for (int i = 0; i < 20000; i++) zs_free(pool, handles[i]);
        zs_destroy_pool(pool);
        if (round == 3) before = resident_kib();
    }
    // A pool's tables had 400 KiB.
    CHECK(resident_kib() < before + 1024);
    return 0;
}
