// misuse: free of a pointer 16 bytes into a small block, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(100);
    free(shown(block + 16));
    return 0;
}
