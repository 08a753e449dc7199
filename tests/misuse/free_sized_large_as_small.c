// misuse: free_sized of a large block with a small size: found at the latest when blocks are passed on
// link: heapwright
// expect: ^heapwright: .*\bfree(_sized)?\b.*{ptr}
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_sized(shown(malloc(500000)), 100);
    pass_blocks_on(100);
    return 0;
}
