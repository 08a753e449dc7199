// vunmap: an area of vmalloc ends the program
// expect: heapwright: vunmap: {it}: the area was made by vmalloc: vfree takes it
#include "check.h"

int main(void) {
    vunmap(shown(vmalloc(10000)));
    return 0;
}
