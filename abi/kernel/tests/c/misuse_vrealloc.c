// vrealloc: of an area that was freed ends the program
// expect: heapwright: vrealloc: {it}: the area is free already (double free)
#include "check.h"

int main(void) {
    void *area = shown(vmalloc(100));
    vfree(area);
    (void)hide(vrealloc(hide(area), 10000, GFP_KERNEL));
    return 0;
}
