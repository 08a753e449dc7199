// misuse: realloc of a block of 64 MiB that was freed
// expect: ^heapwright: realloc\b.*{ptr}
#include "misuse.h"

int main(void) {
    void *pointer = shown(malloc(64 * MIB));
    free(pointer);
    CHECK(!realloc(hide(pointer), 65 * MIB), "realloc of a freed block succeeds");
    return 0;
}
