// misuse: free of a pointer into the middle of a large block, at a page boundary
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(500000);
    block += -(uintptr_t)block & 4095;
    free(shown(block + 64 * KIB));
    return 0;
}
