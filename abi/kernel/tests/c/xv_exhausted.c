// xv_malloc: without memory it is -ENOMEM; all objects are whole, and go on when there is memory again
#include "check.h"

enum { MOST = 200000, SIZE = 3000 };

int main(void) {
    static struct page *pages[MOST];
    static uint32_t offsets[MOST];
    struct xv_pool *pool = xv_create_pool();
    refuse_above((size_t)64 << 20);
    unsigned count = 0;
    for (; count < MOST; count++) {
        int error = xv_malloc(pool, SIZE, &pages[count], &offsets[count], GFP_KERNEL);
        if (error) {
            CHECK(error == -ENOMEM && pages[count] == NULL && offsets[count] == 0);
            break;
        }
        fill((char *)page_address(pages[count]) + offsets[count], SIZE, count);
    }
    CHECK(count > 1000 && count < MOST && heapwright_kernel_check() == 0);
    refuse_none();
    CHECK(xv_malloc(pool, SIZE, &pages[count], &offsets[count], GFP_KERNEL) == 0);
    for (unsigned i = 0; i < count; i++) CHECK(is_filled((char *)page_address(pages[i]) + offsets[i], SIZE, i));
    for (unsigned i = 0; i <= count; i++) xv_free(pool, pages[i], offsets[i]);
    CHECK(heapwright_kernel_check() == 0 && xv_get_total_size_bytes(pool) == 0);
    xv_destroy_pool(pool);
    return 0;
}
