// kfree: a block freed twice in a row ends the program
// expect: heapwright: kfree: cache kmalloc-128: {it} is free already (double free)
#include "check.h"

int main(void) {
    void *block = shown(kmalloc(100, GFP_KERNEL));
    kfree(block);
    kfree(hide(block));
    return 0;
}
