// misuse: free_sized of a pointer to the stack, under safe: found at once
// link: heapwright
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free_sized\b.*{ptr}
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    long local[16] = {0};
    free_sized(shown(local), sizeof local);
    return 0;
}
