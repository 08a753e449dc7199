// misuse: free of a pointer 8 bytes into a small block; found at the latest when the block is passed on
// expect: ^heapwright: .*\bfree\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(100);
    free(shown(block + 8));
    pass_blocks_on(100);
    return 0;
}
