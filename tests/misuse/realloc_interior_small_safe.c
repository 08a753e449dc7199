// misuse: realloc of an address inside a small block, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: realloc\(\): {ptr} points into a block
#include "misuse.h"

int main(void) {
    char *pointer = malloc(100);
    CHECK(!realloc(shown(pointer + 16), 90), "realloc of an address inside a block succeeds");
    return 0;
}
