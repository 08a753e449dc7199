// what is no block of the heap, freed, is reported to the handler
// only: neighbours canaries
#include <heapwright/tlsf.h>

#include "check.h"

static void handler(const char *message) {
    test_say(message);
    test_end(ends_in(message, ": not a block of this allocator") ? 0 : 1);
}

int main(void) {
    MEMORY(memory, 4 * KIB);
    MEMORY(other, 4 * KIB);
    heapwright_block_on_misuse(handler);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 4 * KIB);
    CHECK(heap != NULL);
    heapwright_tlsf_free(heap, other + 1024);
    return 1;
}
