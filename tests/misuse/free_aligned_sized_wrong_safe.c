// misuse: free_aligned_sized with another size class than the block's, under safe: found at once
// link: heapwright
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free_aligned_sized\b.*{ptr}
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_aligned_sized(shown(aligned_alloc(64, 128)), 64, 4096);
    return 0;
}
