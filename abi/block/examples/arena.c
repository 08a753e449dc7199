/* TLSF's arena in C: memory whose end moves. Here it is a part of an array; on a board, the RAM above the program's own.
 *
 *     cargo build --release -p heapwright-abi-block
 *     cc -I abi/include abi/block/examples/arena.c target/release/libheapwright_block.a -o arena && ./arena
 */
#include <heapwright/tlsf.h>
#include <stdio.h>

enum { STEP = 4096, BLOCKS = 10 };

static char ram[64 << 10];
static heapwright_tlsf_arena arena;

/* Moves the end, or says no. */
static int move_end(void *context, size_t bytes) {
    (void)context;
    int moves = bytes <= sizeof ram;
    printf("  the end to %zu: %s\n", bytes, moves ? "yes" : "no");
    return moves ? 0 : 1;
}

int main(void) {
    void *blocks[BLOCKS];
    if (heapwright_tlsf_arena_init(&arena, ram, STEP, move_end, NULL) != HEAPWRIGHT_BLOCK_OK) return 1;
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = heapwright_tlsf_arena_malloc(&arena, 10000);
        printf("10,000 bytes: %s, the arena has %zu\n", blocks[i] ? "there" : "none", heapwright_tlsf_arena_bytes(&arena));
    }
    for (int i = BLOCKS - 1; i >= 0; i--) heapwright_tlsf_arena_free(&arena, blocks[i]);
    printf("all freed: %zu bytes given back at last, %zu kept\n", heapwright_tlsf_arena_shrink(&arena), heapwright_tlsf_arena_bytes(&arena));
    return 0;
}
