// misuse: a large block freed twice: found at once
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *other = malloc(500000), *block = malloc(500000), *third = malloc(500000);
    CHECK(other && block && third, "malloc(500000) is NULL");
    void *pointer = shown(block);
    free(pointer);
    free(hide(pointer));
    return 0;
}
