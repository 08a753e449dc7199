// misuse: an address inside a small block freed shortly before the end, under check: found at the exit
// env: HEAPWRIGHT=check=1
// expect: ^heapwright: check at exit: {ptr} points into a block
#include "misuse.h"

int main(void) {
    char *pointer = malloc(100);
    free(shown(pointer + 16));
    return 0;
}
