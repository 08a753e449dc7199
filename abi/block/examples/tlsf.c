/* TLSF in C: a heap in a static array, a second pool, an aligned block, statistics, and where everything lies.
 *
 *     cargo build --release -p heapwright-abi-block
 *     cc -I abi/include abi/block/examples/tlsf.c target/release/libheapwright_block.a -o tlsf && ./tlsf
 */
#include <heapwright/tlsf.h>
#include <stdio.h>
#include <string.h>

static char memory[16 << 10], more[8 << 10];

static int show(void *block, size_t size, int used, void *user) {
    (void)user;
    printf("  %6td  %-4s %6zu bytes\n", (char *)block - memory, used ? "used" : "free", size);
    return 0;
}

static void look(const char *when, const heapwright_tlsf *heap) {
    heapwright_block_stats stats;
    if (heapwright_tlsf_stats(heap, &stats) != HEAPWRIGHT_BLOCK_OK) return;
    printf("%s: %zu of %zu bytes in use, %zu can be had at once\n", when, stats.used, stats.total, stats.largest_free);
}

int main(void) {
    heapwright_tlsf *heap = heapwright_tlsf_create_with_pool(memory, sizeof memory);
    if (!heap) return 1;
    printf("the heap itself takes %zu bytes of %zu\n", heapwright_tlsf_control_size(sizeof memory), sizeof memory);
    look("at first", heap);

    char *text = heapwright_tlsf_malloc(heap, 100);
    void *page = heapwright_tlsf_memalign(heap, 4096, 1000);
    if (!text || !page) return 1;
    strcpy(text, "kept when it grows");
    text = heapwright_tlsf_realloc(heap, text, 200);
    if (!text) return 1;
    printf("\"%s\", %zu bytes may be used\n", text, heapwright_tlsf_block_size(text));
    look("two blocks", heap);
    puts("from the array's beginning:");
    heapwright_tlsf_walk(heap, show, NULL);

    int error = heapwright_tlsf_add_pool(heap, memory, sizeof memory);
    printf("the same memory again: %s\n", heapwright_block_error_text(error));
    error = heapwright_tlsf_add_pool(heap, more, sizeof more);
    printf("other memory: %s\n", heapwright_block_error_text(error));
    look("with a second pool", heap);

    heapwright_tlsf_free(heap, page);
    heapwright_tlsf_free(heap, text);
    look("all freed", heap);
    return heapwright_tlsf_check(heap, NULL) == HEAPWRIGHT_BLOCK_OK ? 0 : 1;
}
