// The first large block, of which both ends are touched: a look at a later one may be left out, as looks take little of the time.
#include <stdlib.h>
#include "../../../../abi/include/heapwright/mark.h"

int main(void) {
    size_t size = 3 << 20;
    heapwright_mark("ends");
    char *block = malloc(size);
    block[0] = block[size - 1] = 1;
    free(block);
    heapwright_mark("end");
    return 0;
}
