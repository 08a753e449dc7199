// zs_malloc: without memory it is -ENOMEM; all objects are whole, and go on when there is memory again
#include "check.h"

enum { MOST = 200000, SIZE = 3000 };

int main(void) {
    static unsigned long handles[MOST];
    static unsigned char bytes[SIZE];
    struct zs_pool *pool = zs_create_pool("pool");
    refuse_above((size_t)64 << 20);
    unsigned count = 0;
    for (; count < MOST; count++) {
        unsigned long handle = zs_malloc(pool, SIZE, GFP_KERNEL);
        if (IS_ERR_VALUE(handle)) {
            CHECK((long)handle == -ENOMEM);
            break;
        }
        handles[count] = handle;
        fill(bytes, SIZE, count);
        zs_obj_write(pool, handle, bytes, SIZE);
    }
    CHECK(count > 1000 && count < MOST && heapwright_kernel_check() == 0);
    for (unsigned i = 0; i < count; i++) {
        void *read = zs_obj_read_begin(pool, handles[i], NULL);
        CHECK(is_filled(read, SIZE, i));
        zs_obj_read_end(pool, handles[i], read);
    }
    refuse_none();
    handles[count] = zs_malloc(pool, SIZE, GFP_KERNEL);
    CHECK(!IS_ERR_VALUE(handles[count]));
    for (unsigned i = 0; i <= count; i++) zs_free(pool, handles[i]);
    CHECK(heapwright_kernel_check() == 0);
    zs_destroy_pool(pool);
    return 0;
}
