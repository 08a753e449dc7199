// misuse: free_aligned_sized of a block of malloc with an alignment that malloc does not give, under safe: found at once
// link: heapwright
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free_aligned_sized\(\): {ptr} is
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_aligned_sized(shown(malloc(112)), 64, 100);
    return 0;
}
