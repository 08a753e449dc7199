// misuse: a block of 64 MiB freed twice: found at once
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    void *pointer = shown(malloc(64 * MIB));
    free(pointer);
    free(hide(pointer));
    return 0;
}
