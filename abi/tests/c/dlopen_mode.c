// docs: dlopen passes every bit of its mode on but RTLD_DEEPBIND, and that one too with HEAPWRIGHT=deepbind=1
// library: records_mode.c
// again: HEAPWRIGHT=deepbind=1
// again: HEAPWRIGHT=deepbind
// again: HEAPWRIGHT=deepbind=0
#include <dlfcn.h>

#include "check.h"

extern int recorded_mode;

int main(void) {
    const char *said = getenv("HEAPWRIGHT");
    int cleared = said && strcmp(said, "deepbind=0") ? 0 : RTLD_DEEPBIND;
    // After the first call the environment is not asked again.
    for (int bit = 0; bit < 32; bit++) {
        int mode = (int)(1u << bit);
        dlopen("/no/such/library.so", mode);
        CHECK(recorded_mode == (mode & ~cleared), "mode %#x arrives as %#x", mode, recorded_mode);
        dlopen("/no/such/library.so", ~mode);
        CHECK(recorded_mode == (~mode & ~cleared), "mode %#x arrives as %#x", ~mode, recorded_mode);
        setenv("HEAPWRIGHT", cleared ? "deepbind=1" : "deepbind=0", 1);
    }
    return 0;
}
