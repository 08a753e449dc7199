/* The buddy system in C: blocks of powers of two, freed with their size.
 *
 *     cargo build --release -p heapwright-abi-block
 *     cc -I abi/include abi/block/examples/buddy.c target/release/libheapwright_block.a -o buddy && ./buddy
 */
#include <heapwright/buddy.h>
#include <stdio.h>

static char memory[16 << 10];

static int show(void *block, size_t size, int used, void *user) {
    (void)user;
    printf("  %6td  %-4s %6zu bytes\n", (char *)block - memory, used ? "used" : "free", size);
    return 0;
}

int main(void) {
    heapwright_buddy *heap = heapwright_buddy_create(memory, sizeof memory);
    void *small = heapwright_buddy_malloc(heap, 100), *large = heapwright_buddy_malloc(heap, 1500);
    if (!small || !large) return 1;
    printf("100 bytes got %zu, 1,500 got %zu; from the array's beginning:\n", heapwright_buddy_block_size(1, 100),
           heapwright_buddy_block_size(1, 1500));
    heapwright_buddy_walk(heap, show, NULL);
    heapwright_buddy_free(heap, small, 100);
    heapwright_buddy_free(heap, large, 1500);
    puts("freed, and the halves joined:");
    heapwright_buddy_walk(heap, show, NULL);
    return heapwright_buddy_check(heap, NULL) == HEAPWRIGHT_BLOCK_OK ? 0 : 1;
}
