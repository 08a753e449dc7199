// kmalloc(0) is ZERO_SIZE_PTR, which kfree and krealloc accept, as they do NULL
#include "check.h"

int main(void) {
    size_t none = 0;
    CHECK(kmalloc(none, GFP_KERNEL) == ZERO_SIZE_PTR && kzalloc(none, GFP_KERNEL) == ZERO_SIZE_PTR);
    CHECK(kcalloc(none, 10, GFP_KERNEL) == ZERO_SIZE_PTR && ZERO_OR_NULL_PTR(kmalloc(none, GFP_KERNEL)) && ZERO_OR_NULL_PTR(NULL));
    kfree(ZERO_SIZE_PTR);
    kfree(NULL);
    kfree_sensitive(NULL);
    kfree_sensitive(ZERO_SIZE_PTR);
    kvfree(NULL);
    char *block = krealloc(NULL, 10, GFP_KERNEL);
    CHECK(block != NULL && !ZERO_OR_NULL_PTR(block));
    CHECK(krealloc(block, 0, GFP_KERNEL) == ZERO_SIZE_PTR);
    block = krealloc(ZERO_SIZE_PTR, 10, GFP_KERNEL);
    CHECK(!ZERO_OR_NULL_PTR(block));
    kfree(block);
    CHECK(kstrdup(NULL, GFP_KERNEL) == NULL && kstrndup(NULL, 3, GFP_KERNEL) == NULL);
    return 0;
}
