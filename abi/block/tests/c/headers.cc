// The headers are C++98, and what they declare links.
#define HEAPWRIGHT_SHORT_NAMES
#include <heapwright/buddy.h>
#include <heapwright/fit.h>
#include <heapwright/tlsf.h>

#include "check.h"

int main() {
    MEMORY(memory, 4096);
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, 4096);
    CHECK(heap != NULL);
    void *block = heapwright_tlsf_malloc(heap, 100);
    CHECK(block != NULL && heapwright_tlsf_block_size(block) >= 100);
    tlsf_free(heap, block);
    CHECK(heapwright_tlsf_check(heap, NULL) == HEAPWRIGHT_BLOCK_OK);
    static heapwright_tlsf_arena arena;
    CHECK(heapwright_tlsf_arena_init(&arena, memory, 0, NULL, NULL) == HEAPWRIGHT_BLOCK_NULL);
    heapwright_fit *fit = heapwright_fit_create(memory, 4096, HEAPWRIGHT_FIT_BEST);
    block = heapwright_fit_malloc(fit, 100);
    CHECK(block != NULL && heapwright_fit_check(fit, NULL) == HEAPWRIGHT_BLOCK_OK);
    heapwright_fit_free(fit, block);
    heapwright_buddy *buddy = heapwright_buddy_create(memory, 4096);
    block = heapwright_buddy_malloc(buddy, 100);
    CHECK(block != NULL && heapwright_buddy_check(buddy, NULL) == HEAPWRIGHT_BLOCK_OK);
    heapwright_buddy_free(buddy, block, 100);
    return 0;
}
