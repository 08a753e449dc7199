// misuse: free of a small integer
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    free(shown((void *)16));
    return 0;
}
