// a write past the end of a block is reported to the handler when the block behind it is freed
// only: canaries
#include <heapwright/tlsf.h>

#include "check.h"

static void handler(const char *message) {
    test_say(message);
    test_end(ends_in(message, ": the header was overwritten") ? 0 : 1);
}

int main(void) {
    MEMORY(memory, 4 * KIB);
    heapwright_block_on_misuse(handler);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 4 * KIB);
    unsigned char *block = heapwright_tlsf_malloc(heap, 100), *behind = heapwright_tlsf_malloc(heap, 100);
    CHECK(block && behind);
    set_all(hide(block), heapwright_tlsf_block_size(block) + WORD, 'A');
    heapwright_tlsf_free(heap, behind);
    return 1;
}
