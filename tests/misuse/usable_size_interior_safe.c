// misuse: malloc_usable_size of an address inside a small block, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: malloc_usable_size\(\): {ptr} points into a block
#include <malloc.h>

#include "misuse.h"

int main(void) {
    char *pointer = malloc(100);
    printf("%zu\n", malloc_usable_size(shown(pointer + 16)));
    return 0;
}
