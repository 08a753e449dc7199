// misuse: free_sized of a large block with a small size, under safe: found at once
// link: heapwright
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free_sized\b.*{ptr}
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_sized(shown(malloc(500000)), 100);
    return 0;
}
