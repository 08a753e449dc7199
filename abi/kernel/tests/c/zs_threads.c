// zs_*: threads store, read and free while another compacts; what they read is what they wrote
#include "check.h"

enum { THREADS = 4, LIVE = 300 };

static struct zs_pool *pool;
static volatile int ended;

static void *work(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number + 1;
    unsigned rounds = (unsigned)trials(30000);
    unsigned long handles[LIVE] = {0};
    unsigned sizes[LIVE];
    unsigned char bytes[4096];
    for (unsigned round = 0; round < rounds; round++) {
        unsigned i = random_next(&seed) % LIVE;
        if (!handles[i]) {
            sizes[i] = 1 + random_next(&seed) % 3000;
            handles[i] = zs_malloc(pool, sizes[i], GFP_KERNEL);
            CHECK(!IS_ERR_VALUE(handles[i]));
            fill(bytes, sizes[i], i);
            zs_obj_write(pool, handles[i], bytes, sizes[i]);
            continue;
        }
        void *read = zs_obj_read_begin(pool, handles[i], NULL);
        CHECK(is_filled(read, sizes[i], i));
        zs_obj_read_end(pool, handles[i], read);
        if (random_next(&seed) % 2) zs_free(pool, handles[i]), handles[i] = 0;
    }
    for (unsigned i = 0; i < LIVE; i++) zs_free(pool, handles[i]);
    return NULL;
}

static void *compact(void *unused) {
    while (!ended) {
        zs_compact(pool);
        CHECK(heapwright_kernel_check() == 0);
    }
    return unused;
}

int main(void) {
    pthread_t threads[THREADS], compactor;
    pool = zs_create_pool("pool");
    pthread_create(&compactor, NULL, compact, NULL);
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    ended = 1;
    pthread_join(compactor, NULL);
    CHECK(zs_get_total_pages(pool) == 0);
    zs_destroy_pool(pool);
    return 0;
}
