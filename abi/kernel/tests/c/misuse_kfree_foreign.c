// kfree: a pointer that is none of kmalloc's ends the program
// expect: heapwright: kfree: {it} is no block of kmalloc
#include "check.h"

int main(void) {
    static char memory[64];
    kfree(kmalloc(10, GFP_KERNEL));
    kfree(shown(memory));
    return 0;
}
