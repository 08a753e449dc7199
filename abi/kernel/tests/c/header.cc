// The header is C++98, and what it declares links.
#include "check.h"

struct item {
    int key;
};

int main() {
    struct zs_pool *pool = zs_create_pool("pages");
    CHECK(pool != NULL);
    unsigned long handle = zs_malloc(pool, 100, GFP_KERNEL);
    CHECK(!IS_ERR_VALUE(handle));
    char text[100] = "text";
    zs_obj_write(pool, handle, text, sizeof text);
    void *bytes = zs_obj_read_begin(pool, handle, NULL);
    CHECK(strcmp(static_cast<char *>(bytes), "text") == 0);
    zs_obj_read_end(pool, handle, bytes);
    zs_free(pool, handle);
    zs_destroy_pool(pool);
    struct xv_pool *pages = xv_create_pool();
    struct page *page;
    uint32_t offset;
    CHECK(xv_malloc(pages, 10, &page, &offset, GFP_KERNEL) == 0);
    xv_free(pages, page, offset);
    xv_destroy_pool(pages);
    CHECK(IS_ERR(ERR_PTR(-ENOMEM)) && PTR_ERR(ERR_PTR(-ENOMEM)) == -ENOMEM && IS_ERR_OR_NULL(NULL));
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
