// misuse: free of a pointer into the middle of a block of 64 MiB, at 2 MiB
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(64 * MIB);
    CHECK(block != NULL, "malloc(64 MiB) is NULL");
    block[0] = 1;
    free(shown(block + 32 * MIB));
    return 0;
}
