// misuse: realloc of a freed block of 100 KB, of a size that a thread may keep for itself
// expect: ^heapwright: realloc\b.*{ptr}
#include "misuse.h"

int main(void) {
    void *pointer = shown(malloc(100000));
    free(pointer);
    CHECK(!realloc(hide(pointer), 100001), "realloc of a freed block succeeds");
    return 0;
}
