// a block freed twice is reported to the handler
// only: neighbours canaries
#include <heapwright/tlsf.h>

#include "check.h"

static void handler(const char *message) {
    test_say(message);
    test_end(ends_in(message, ": the block is free already") ? 0 : 1);
}

int main(void) {
    MEMORY(memory, 4 * KIB);
    heapwright_block_on_misuse(handler);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 4 * KIB);
    void *front = heapwright_tlsf_malloc(heap, 100), *block = heapwright_tlsf_malloc(heap, 100);
    void *behind = heapwright_tlsf_malloc(heap, 100);
    CHECK(front && block && behind);
    heapwright_tlsf_free(heap, block);
    heapwright_tlsf_free(heap, hide(block));
    return 1;
}
