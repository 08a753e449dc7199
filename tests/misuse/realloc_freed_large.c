// misuse: realloc of a large block that was freed
// expect: ^heapwright: realloc\b.*{ptr}
#include "misuse.h"

int main(void) {
    char *other = malloc(500000), *block = malloc(500000), *third = malloc(500000);
    CHECK(other && block && third, "malloc(500000) is NULL");
    void *pointer = shown(block);
    free(pointer);
    CHECK(!realloc(hide(pointer), 600000), "realloc of a freed block succeeds");
    return 0;
}
