// misuse: realloc of a pointer to the stack
// expect: ^heapwright: realloc\b.*{ptr}
#include "misuse.h"

int main(void) {
    long local[4] = {0};
    CHECK(!realloc(shown(local), 100), "realloc of a stack pointer succeeds");
    return 0;
}
