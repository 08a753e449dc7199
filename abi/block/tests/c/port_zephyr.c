// ports/zephyr.c: k_malloc and its like under the lock, and what is not theirs goes to the kernel
#define HEAPWRIGHT_HEAP_BYTES (16 * KIB)
#include "../../ports/zephyr.c"

static void *freed, *resized;

void __real_k_free(void *block) { freed = block; }

void *__real_k_realloc(void *block, size_t size) {
    CHECK(size == 50);
    return resized = block;
}

int main(void) {
    unsigned char *one = __wrap_k_malloc(100), *two = __wrap_k_calloc(10, 30), *three = __wrap_k_aligned_alloc(256, 100);
    CHECK(one && two && three && aligned(three, 256) && is_all(two, 300, 0));
    fill(one, 100, 1);
    one = __wrap_k_realloc(one, 3000);
    CHECK(one && is_filled(one, 100, 1));
    struct sys_memory_stats stats;
    heapwright_k_malloc_stats(&stats);
    CHECK(stats.allocated_bytes > 3400 && stats.max_allocated_bytes >= stats.allocated_bytes);
    CHECK(stats.free_bytes + stats.allocated_bytes < 16 * KIB && stats.free_bytes > 4 * KIB);

    int kernels;
    __wrap_k_free(&kernels);
    CHECK(freed == &kernels);
    CHECK(__wrap_k_realloc(&kernels, 50) == &kernels && resized == &kernels);
    __wrap_k_free(two);
    __wrap_k_free(three);
    __wrap_k_free(NULL);
    CHECK(__wrap_k_realloc(one, 0) == NULL);
    heapwright_k_malloc_stats(&stats);
    CHECK(stats.allocated_bytes == 0 && freed == &kernels && lock.held == 0);
    CHECK(__wrap_k_malloc(16 * KIB) == NULL && __wrap_k_calloc(SIZE_MAX / 2, 3) == NULL);
    return 0;
}
