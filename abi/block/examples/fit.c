/* The four fits in C: the same holes, the same request, and which hole each policy takes.
 *
 *     cargo build --release -p heapwright-abi-block
 *     cc -I abi/include abi/block/examples/fit.c target/release/libheapwright_block.a -o fit && ./fit
 */
#include <heapwright/fit.h>
#include <stdio.h>

static char memory[4 << 10];

int main(void) {
    static const char *const names[] = {"first", "next", "best", "worst"};
    static const size_t sizes[] = {64, 256, 128};
    for (int policy = HEAPWRIGHT_FIT_FIRST; policy <= HEAPWRIGHT_FIT_WORST; policy++) {
        heapwright_fit *heap = heapwright_fit_create(memory, sizeof memory, policy);
        void *holes[3];
        for (int i = 0; i < 3; i++) {
            holes[i] = heapwright_fit_malloc(heap, sizes[i]);
            /* A block between, which stays. */
            if (!holes[i] || !heapwright_fit_malloc(heap, 8)) return 1;
        }
        for (int i = 0; i < 3; i++) heapwright_fit_free(heap, holes[i]);
        void *block = heapwright_fit_malloc(heap, 100);
        printf("%-5s fit puts 100 bytes into ", names[policy]);
        size_t found = 0;
        for (int i = 0; i < 3; i++)
            if (block == holes[i]) found = sizes[i];
        if (found) {
            printf("the hole of %zu\n", found);
        } else {
            printf("the rest behind all\n");
        }
    }
    return 0;
}
