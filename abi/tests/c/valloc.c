// glibc valloc(3) and pvalloc(3): aligned to a page; pvalloc rounds the size up to whole pages, all of them usable
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (size_t size = 0; size <= 2 * MIB; size = size * 3 + 1) {
        char *one = valloc(size), *whole = pvalloc(size);
        CHECK(one && aligned(one, page), "valloc(%zu) is %p", size, one);
        CHECK(whole && aligned(whole, page), "pvalloc(%zu) is %p", size, whole);
        size_t pages = (size + page - 1) / page * page;
        CHECK(malloc_usable_size(one) >= size, "valloc(%zu) has %zu usable", size, malloc_usable_size(one));
        CHECK(malloc_usable_size(whole) >= pages, "pvalloc(%zu) has %zu usable, not %zu", size, malloc_usable_size(whole), pages);
        fill(one, size, 1), fill(whole, pages, 2);
        CHECK(first_difference(one, size, 1) == size, "valloc(%zu) overlaps pvalloc(%zu)", size, size);
        free(one), free(whole);
    }
    return 0;
}
