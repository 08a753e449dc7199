// misuse: a small block freed twice, with other calls between, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    void *others[10];
    for (int i = 0; i < 10; i++) others[i] = malloc(48);
    void *pointer = shown(malloc(48));
    free(pointer);
    free(others[3]);
    free(hide(pointer));
    return 0;
}
