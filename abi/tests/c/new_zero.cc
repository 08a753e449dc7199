// C++17 [basic.stc.dynamic.allocation]: a request for zero bytes gives a non-null pointer, different from every other
// also: glibc
#include <new>

#include "check.h"

enum { COUNT = 500 };

int main() {
    static void *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        size_t none = hide_size(0);
        blocks[i] = i % 4 == 0   ? ::operator new(none)
                    : i % 4 == 1 ? ::operator new[](none)
                    : i % 4 == 2 ? ::operator new(none, std::nothrow)
                                 : ::operator new(none, std::align_val_t(64));
        CHECK(blocks[i] != nullptr, "new of 0 bytes is null");
        for (int j = 0; j < i; j++) CHECK(blocks[j] != blocks[i], "new of 0 bytes gives %p twice", blocks[i]);
    }
    for (int i = 0; i < COUNT; i++)
        if (i % 4 == 3) ::operator delete(blocks[i], std::align_val_t(64));
        else ::operator delete(blocks[i]);
    return 0;
}
