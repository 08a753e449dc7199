// C++17 [new.delete.single]: an aligned new whose size wraps around when it is rounded up fails too (libstdc++ 12 gives a block)
#include <new>

#include "check.h"

int main() {
    for (size_t less = 0; less < 300; less += 7) {
        size_t size = hide_size(SIZE_MAX - less);
        for (size_t alignment = 1; alignment <= 4096; alignment *= 4) {
            std::align_val_t a{alignment};
            void *block = ::operator new(size, a, std::nothrow);
            CHECK(!block, "nothrow new(%zu, align %zu) is %p", size, alignment, block);
            try {
                block = ::operator new[](size, a);
                CHECK(false, "new[](%zu, align %zu) is %p", size, alignment, block);
            } catch (const std::bad_alloc &) {
            }
        }
    }
    return 0;
}
