// A large block that grows where it is, of which both ends are touched: the look at it when it was smaller is out of date.
#include <malloc.h>
#include <stdlib.h>
#include "../../../../abi/include/heapwright/mark.h"

int main(void) {
    size_t size = 24 << 20;
    mallopt(M_MMAP_THRESHOLD, 1 << 25);
    char *block = malloc(size);
    char *grown = realloc(block, size + (4 << 20));
    grown[0] = grown[size + (4 << 20) - 1] = 1;
    heapwright_mark("free");
    free(grown);
    heapwright_mark("end");
    return 0;
}
