// C++17 [new.delete.single]: the default nothrow forms return null when the program's operator new throws, whatever it throws
// also: glibc
#include <new>

#include "check.h"

static bool refuse;

void *operator new(size_t size) {
    if (refuse) throw 42;
    return malloc(size ? size : 1);
}

void operator delete(void *block) noexcept { free(block); }

#pragma GCC diagnostic ignored "-Wsized-deallocation"

int main() {
    refuse = true;
    void *single = ::operator new(10, std::nothrow), *array = ::operator new[](10, std::nothrow);
    CHECK(!single && !array, "nothrow forms give %p and %p though operator new throws", single, array);
    try {
        void *block = ::operator new[](10);
        CHECK(false, "new[] gives %p though operator new throws", block);
    } catch (int value) {
        CHECK(value == 42, "new[] lets %d through, not 42", value);
    }
    refuse = false;
    single = ::operator new(10, std::nothrow);
    CHECK(single, "nothrow new is null though operator new succeeds");
    ::operator delete(hide(single), std::nothrow);
    return 0;
}
