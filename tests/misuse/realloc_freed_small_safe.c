// misuse: realloc of a freed small block, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: realloc\(\): {ptr} is
#include "misuse.h"

int main(void) {
    void *pointer = shown(malloc(100));
    free(pointer);
    CHECK(!realloc(hide(pointer), 90), "realloc of a freed block succeeds");
    return 0;
}
