// misuse: free of a string literal, in read-only memory
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    free(shown("a string literal"));
    return 0;
}
