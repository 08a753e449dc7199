// C23 7.24.3.3: free(NULL) does nothing; it keeps errno too
// also: glibc
#include "check.h"

int main(void) {
    errno = 4242;
    for (int i = 0; i < 1000; i++) free(hide(NULL));
    CHECK(errno == 4242, "free(NULL) sets errno to %d", errno);
    void *block = malloc(1);
    CHECK(block != NULL, "malloc(1) is NULL after free(NULL)");
    free(block);
    free(hide(NULL));
    return 0;
}
