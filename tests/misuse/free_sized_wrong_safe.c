// misuse: free_sized with another size class than the block's, under safe: found at once
// link: heapwright
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free_sized\b.*{ptr}
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_sized(shown(malloc(100)), 1000);
    return 0;
}
