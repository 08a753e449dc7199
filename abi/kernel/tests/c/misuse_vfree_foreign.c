// vfree: an address that is not vmalloc's ends the program
// expect: heapwright: vfree: {it}: the address is not ours
#include "check.h"

int main(void) {
    vfree(vmalloc(1));
    static char memory[3 * 4096];
    vfree(shown((void *)(((uintptr_t)memory + 4095) & ~(uintptr_t)4095)));
    return 0;
}
