// misuse: free of a value that is no address at all
// expect: ^heapwright: free\b.*{ptr}
#include "misuse.h"

int main(void) {
    free(shown((void *)0xdeadbeefdeadbee0));
    return 0;
}
