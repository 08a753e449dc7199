/* A malloc_usable_size that promises eight bytes too many: whoever uses them breaks the heap. */
#include <stddef.h>

size_t malloc_usable_size(void *block)
{
    return block ? *((size_t *)block - 1) / 16 * 16 : 0;
}
