// misuse: free of an address a gigabyte behind a block, where nothing was ever allocated
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(64);
    free(shown(block + GIB));
    return 0;
}
