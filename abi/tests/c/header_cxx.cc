// heapwright.h: compiles as C++, declares everything noexcept, and its functions link
// link: heapwright
#include <heapwright.h>

#include <cstdlib>

#include <malloc.h>

#include "check.h"

static_assert(noexcept(free_sized(nullptr, 0)) && noexcept(free_aligned_sized(nullptr, 0, 0)) && noexcept(cfree(nullptr)), "");
static_assert(noexcept(heapwright_version()) && noexcept(heapwright_purge()) && noexcept(heapwright_heap_new()), "");

int main() {
    heapwright_stats_t stats;
    CHECK(heapwright_stats(&stats) == 0, "heapwright_stats fails");
    heapwright_heap *heap = heapwright_heap_new();
    CHECK(heap && heapwright_heap_malloc(heap, 100), "a heap gives nothing");
    heapwright_heap_destroy(heap);
    free_sized(std::malloc(10), 10);
    return 0;
}
