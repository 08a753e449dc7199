// misuse: operator delete of a pointer to the stack
// expect: ^heapwright: operator delete\b.*{ptr}
#include <new>

#include "misuse.h"

int main() {
    long local[4] = {0};
    ::operator delete(shown(local));
    return 0;
}
