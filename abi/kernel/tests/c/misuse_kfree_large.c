// kfree: a block of whole pages freed twice ends the program
// expect: heapwright: kfree: {it} is no block of kmalloc
#include "check.h"

int main(void) {
    void *block = shown(kmalloc(100000, GFP_KERNEL));
    kfree(block);
    kfree(hide(block));
    return 0;
}
