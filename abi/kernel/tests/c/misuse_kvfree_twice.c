// kvfree: an area freed twice ends the program
// expect: heapwright: kvfree: {it}: the area is free already (double free)
#include "check.h"

int main(void) {
    void *area = shown(kvmalloc((size_t)16 << 20, GFP_KERNEL));
    kvfree(area);
    kvfree(hide(area));
    return 0;
}
