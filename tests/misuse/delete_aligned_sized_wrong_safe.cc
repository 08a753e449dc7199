// misuse: aligned sized delete with another size than new's, under safe: found at once
// flags: -std=c++17 -fsized-deallocation
// env: HEAPWRIGHT=safe=1
// expect: ^heapwright: operator delete\(\): {ptr} is a block of 256 bytes, not of 192
#include <new>

#include "misuse.h"

int main() {
    ::operator delete(shown(::operator new(256, std::align_val_t(64))), hide_size(192), std::align_val_t(64));
    return 0;
}
