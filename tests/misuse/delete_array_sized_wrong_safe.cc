// misuse: sized delete[] with another size than new[]'s, under safe: found at once
// flags: -fsized-deallocation
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: operator delete\(\): {ptr} is a block of
#include <new>

#include "misuse.h"

int main() {
    ::operator delete[](shown(::operator new[](100000)), hide_size(60000));
    return 0;
}
