// docs: an unknown key in HEAPWRIGHT is a warning on standard error that lists the keys; the program runs on
// env: HEAPWRIGHT=no_such_key=1
// stderr: ^heapwright: .*no_such_key
#include "check.h"

int main(void) {
    void *block = malloc(100);
    CHECK(block != NULL, "malloc(100) is NULL");
    free(block);
    return 0;
}
