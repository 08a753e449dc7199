// vfree: an area freed twice ends the program
// expect: heapwright: vfree: {it}: the area is free already (double free)
#include "check.h"

int main(void) {
    void *area = shown(vmalloc(100000));
    vfree(area);
    vfree(hide(area));
    return 0;
}
