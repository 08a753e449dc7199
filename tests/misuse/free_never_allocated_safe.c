// misuse: free of an address where a small block could be, but none was allocated, under safe: found at once
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: free\b.*{ptr}
#include <malloc.h>

#include "misuse.h"

int main(void) {
    // Blocks of one size in address order; the next free one is a whole block away from the last.
    char *first = malloc(3000), *second = malloc(3000);
    size_t step = malloc_usable_size(first);
    char *next = (second > first ? second : first) + step;
    free(shown(next));
    return 0;
}
