// survival: where the process has switched huge pages off, what lies behind large blocks costs nothing: calloc does not write it
// long: only on the flagship
#include <sys/prctl.h>

#include "check.h"

enum { SMALL = 60000, LARGE = 300, ZEROED = 600 };

int main(void) {
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0) SKIP("the system does not switch huge pages off");
    for (int i = 0; i < SMALL; i++) memset(hide(malloc(500)), 1, 500);
    for (int i = 0; i < LARGE; i++) {
        char *block = malloc(2200 * 1000);
        CHECK(block != NULL, "malloc(2.2 MB) is NULL");
        memset(hide(block), 1, 2200 * 1000);
    }
    size_t before = resident();
    for (int i = 0; i < ZEROED; i++) CHECK(hide(calloc(1, 200 * 1000)) != NULL, "calloc(200 kB) is NULL");
    size_t come = resident() - before;
    CHECK(come < 16 * MIB, "%d blocks of calloc that nobody touches cost %zu KiB", ZEROED, come / KIB);
    return 0;
}
