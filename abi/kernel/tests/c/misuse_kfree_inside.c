// kfree: a pointer into a block ends the program
// expect: heapwright: kfree: cache kmalloc-128: {it} points into a slab, not at an object's start
#include "check.h"

int main(void) {
    kfree(shown((char *)kmalloc(100, GFP_KERNEL) + 8));
    return 0;
}
