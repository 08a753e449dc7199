// misuse: a small block freed twice shortly before the end, under check: found at the exit
// env: HEAPWRIGHT=check=1
// expect: ^heapwright: check at exit: {ptr} is free already
#include "misuse.h"

int main(void) {
    void *pointer = shown(malloc(100));
    free(pointer);
    free(hide(pointer));
    return 0;
}
