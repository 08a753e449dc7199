// ksize: a block that is free ends the program
// expect: heapwright: ksize: cache kmalloc-32: {it} is free
#include "check.h"

int main(void) {
    void *block = shown(kmalloc(30, GFP_KERNEL));
    kfree(block);
    return ksize(hide(block)) == 0;
}
