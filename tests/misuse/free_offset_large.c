// misuse: free of a pointer 16 bytes into a large block
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(500000);
    free(shown(block + 16));
    return 0;
}
