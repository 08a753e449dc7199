// any order of calls: contents stay, blocks keep apart, every invariant holds after each call
#include <heapwright/tlsf.h>

#define HEAP heapwright_tlsf
#define CALL(name) heapwright_tlsf_##name
#define HOLDS(heap, block, size) (aligned(block, heapwright_tlsf_align()) && heapwright_tlsf_block_size(block) >= (size))
#include "random.h"

int main(void) {
    MEMORY(memory, 48 * KIB);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 20 * KIB);
    CHECK(heapwright_tlsf_add_pool(heap, memory + 21 * KIB + 5, 19 * KIB) == 0);
    any_order(heap, 20000);
    none_left(heap);
    CHECK(heapwright_tlsf_remove_pool(heap, memory + 21 * KIB + 5) == 0);
    return 0;
}
