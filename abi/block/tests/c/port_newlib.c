// ports/newlib.c: the functions behind newlib's malloc, its lock and its errno
#define HEAPWRIGHT_HEAP_BYTES (16 * 1024)
#include "../../ports/newlib.c"

#include "check.h"

struct _reent reent;
static int held;

void __malloc_lock(struct _reent *caller) { CHECK(caller == &reent && held++ == 0); }

void __malloc_unlock(struct _reent *caller) { CHECK(caller == &reent && --held == 0); }

int main(void) {
    unsigned char *one = _malloc_r(&reent, 100), *two = _calloc_r(&reent, 10, 30), *three = _memalign_r(&reent, 256, 100);
    CHECK(one && two && three && aligned(three, 256) && is_all(two, 300, 0));
    CHECK(_malloc_usable_size_r(&reent, one) >= 100 && _malloc_usable_size_r(&reent, NULL) == 0);
    fill(one, 100, 1);
    one = _realloc_r(&reent, one, 3000);
    CHECK(one && is_filled(one, 100, 1) && reent._errno == 0);
    heapwright_block_stats stats;
    CHECK(heapwright_malloc_stats(&stats) == 0 && stats.used > 3400 && stats.total < 16 * KIB);

    CHECK(_malloc_r(&reent, 16 * KIB) == NULL && reent._errno == ENOMEM);
    reent._errno = 0;
    CHECK(_realloc_r(&reent, one, 16 * KIB) == NULL && reent._errno == ENOMEM && is_filled(one, 100, 1));
    reent._errno = 0;
    CHECK(_calloc_r(&reent, SIZE_MAX / 2, 3) == NULL && reent._errno == ENOMEM);
    reent._errno = 0;
    CHECK(_realloc_r(&reent, one, 0) == NULL && reent._errno == 0);
    _free_r(&reent, two);
    _free_r(&reent, three);
    _free_r(&reent, NULL);
    CHECK(heapwright_malloc_stats(&stats) == 0 && stats.used == 0 && stats.failures == 3 && held == 0);
    return 0;
}
