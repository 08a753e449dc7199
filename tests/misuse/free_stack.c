// misuse: free of a pointer to the stack
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    long local[4] = {0};
    free(shown(&local[2]));
    return 0;
}
