// C++17 [new.delete.single], [new.delete.array]: a nothrow new that fails returns a null pointer
// also: glibc
#include <new>

#include "check.h"

int main() {
    const size_t sizes[] = {(size_t)1 << 47, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 10000};
    for (size_t size : sizes) {
        size = hide_size(size);
        void *blocks[] = {::operator new(size, std::nothrow), ::operator new[](size, std::nothrow),
                          ::operator new(size, std::align_val_t(64), std::nothrow),
                          ::operator new[](size, std::align_val_t(64), std::nothrow)};
        for (int i = 0; i < 4; i++) CHECK(blocks[i] == nullptr, "nothrow form %d of new(%zu) is %p", i, size, blocks[i]);
    }
    return 0;
}
