// misuse: a small block freed twice in a row; found at the latest when blocks are passed on
// expect: ^heapwright: .*\bfree\b.*{ptr}
#include "misuse.h"

int main(void) {
    static void *others[3000];
    for (int i = 0; i < 3000; i++) others[i] = malloc(48);
    void *pointer = shown(malloc(48));
    free(pointer);
    free(hide(pointer));
    for (int i = 0; i < 3000; i++) free(others[i]);
    return 0;
}
