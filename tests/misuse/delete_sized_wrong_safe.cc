// misuse: sized delete with another size than new's, under safe: found at once
// flags: -fsized-deallocation
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: operator delete\(\): {ptr} is a block of 112 bytes, not of 1000
#include <new>

#include "misuse.h"

int main() {
    ::operator delete(shown(::operator new(100)), hide_size(1000));
    return 0;
}
