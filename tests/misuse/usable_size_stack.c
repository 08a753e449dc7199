// misuse: malloc_usable_size of a pointer to the stack
// expect: ^heapwright: malloc_usable_size\b.*{ptr}
#include <malloc.h>

#include "misuse.h"

int main(void) {
    long local[4] = {0};
    CHECK(!malloc_usable_size(shown(local)), "malloc_usable_size of a stack pointer is not 0");
    return 0;
}
