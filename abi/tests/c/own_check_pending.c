// heapwright.h: heapwright_check sees a block that was freed twice while the calling thread still keeps it
// link: heapwright
// stderr: ^heapwright: invariant broken at 0x[0-9a-f]+: inspect-A5: .*double free
#include <heapwright.h>

#include "check.h"

int main(void) {
    void *pointer = malloc(100);
    free(pointer);
    CHECK(heapwright_check() == 0, "heapwright_check() finds a fault where there is none");
    free(hide(pointer));
    CHECK(heapwright_check() == -1, "heapwright_check() does not see the double free");
    return 0;
}
