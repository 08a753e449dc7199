// misuse: malloc_usable_size of a freed small block, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: malloc_usable_size\(\): {ptr} is
#include <malloc.h>

#include "misuse.h"

int main(void) {
    void *pointer = shown(malloc(100));
    free(pointer);
    printf("%zu\n", malloc_usable_size(hide(pointer)));
    return 0;
}
