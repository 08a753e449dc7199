// misuse: free_sized of a pointer to the stack shortly before the end, under check: found at the exit
// link: heapwright
// env: HEAPWRIGHT=check=1
// expect: ^heapwright: check at exit: {ptr} is not ours
#include <heapwright.h>

#include "misuse.h"

int main(void) {
    free_sized(hide(malloc(100)), 100);
    char block[100];
    free_sized(shown(block), 100);
    return 0;
}
