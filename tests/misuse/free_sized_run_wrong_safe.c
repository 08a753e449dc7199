// misuse: free_sized of a large block with nearly its size, under safe: large blocks are cut when they shrink, so it is found
// link: heapwright
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free_sized\(\): {ptr} is a block of
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_sized(shown(malloc(1000000)), 900000);
    return 0;
}
