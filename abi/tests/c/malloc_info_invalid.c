// glibc malloc_info(3): options other than 0 return EINVAL and write nothing
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    FILE *file = tmpfile();
    CHECK(file != NULL, "tmpfile fails");
    const int options[] = {1, 2, -1};
    for (int i = 0; i < 3; i++) {
        int result = malloc_info(options[i], file);
        CHECK(result == EINVAL, "malloc_info(%d, file) returns %d, not EINVAL", options[i], result);
    }
    CHECK(ftell(file) == 0, "malloc_info(1, file) wrote %ld bytes", ftell(file));
    return 0;
}
