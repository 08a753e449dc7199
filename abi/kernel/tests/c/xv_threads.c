// xv_*: threads store, read and free objects of one pool; each reads what it wrote
#include "check.h"

enum { THREADS = 4, LIVE = 300, ROUNDS = 50000 };

static struct xv_pool *pool;

static void *work(void *number) {
    uint32_t seed = (uint32_t)(uintptr_t)number + 1, offsets[LIVE], sizes[LIVE];
    struct page *pages[LIVE] = {0};
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned i = random_next(&seed) % LIVE;
        if (!pages[i]) {
            sizes[i] = 1 + random_next(&seed) % 3000;
            CHECK(xv_malloc(pool, sizes[i], &pages[i], &offsets[i], GFP_KERNEL) == 0);
            fill((char *)page_address(pages[i]) + offsets[i], sizes[i], i);
            continue;
        }
        char *object = (char *)page_address(pages[i]) + offsets[i];
        CHECK(is_filled(object, sizes[i], i));
        xv_free(pool, pages[i], offsets[i]);
        pages[i] = NULL;
    }
    for (unsigned i = 0; i < LIVE; i++)
        if (pages[i]) xv_free(pool, pages[i], offsets[i]);
    return NULL;
}

int main(void) {
    pthread_t threads[THREADS];
    pool = xv_create_pool();
    for (uintptr_t i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    CHECK(xv_get_total_size_bytes(pool) == 0 && heapwright_kernel_check() == 0);
    xv_destroy_pool(pool);
    return 0;
}
