// heapwright.h: compiles alone, twice, and beside the C library's headers, and its functions link
// link: heapwright
#include <heapwright.h>
#include <heapwright.h>
#include <malloc.h>
#include <stdlib.h>

#include "check.h"

int main(void) {
    const char *version = heapwright_version();
    CHECK(version && version[0] >= '0' && version[0] <= '9' && strchr(version, '.'), "heapwright_version() is %s", version);
    CHECK(heapwright_version() == version, "heapwright_version() changes");
    CHECK(heapwright_check() == 0, "heapwright_check() finds a fresh heap broken");
    return 0;
}
