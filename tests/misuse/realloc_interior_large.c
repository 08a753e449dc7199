// misuse: realloc of a pointer into the middle of a large block
// expect: ^heapwright: realloc\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *block = malloc(500000);
    CHECK(!realloc(shown(block + 4096), 100), "realloc of an interior pointer succeeds");
    return 0;
}
