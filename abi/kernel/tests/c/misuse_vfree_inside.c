// vfree: an address inside of an area ends the program
// expect: heapwright: vfree: {it}: the address is inside of the area at {first}, not its start
#include "check.h"

int main(void) {
    char *area = shown(vmalloc(100000));
    vfree(shown(area + PAGE_SIZE));
    return 0;
}
