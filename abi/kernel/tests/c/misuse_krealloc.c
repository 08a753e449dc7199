// krealloc: a block that is free ends the program
// expect: heapwright: krealloc: cache kmalloc-128: {it} is free
#include "check.h"

int main(void) {
    void *block = shown(kmalloc(100, GFP_KERNEL));
    kfree(block);
    return krealloc(hide(block), 10000, GFP_KERNEL) == NULL;
}
