// misuse: free of a pointer to static data
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

static char bytes[100] __attribute__((aligned(16)));

int main(void) {
    free(shown(bytes));
    return 0;
}
