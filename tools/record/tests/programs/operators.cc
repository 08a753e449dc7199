// C++'s operators in all forms, an array, a throw.
#include <cstdint>
#include <cstdio>
#include <new>
#include "../../../../abi/include/heapwright/mark.h"

struct alignas(64) Wide { char bytes[64]; };

int main() {
    heapwright_mark("new");
    delete new char;
    delete[] new char[100];
    delete new (std::nothrow) int;
    delete[] new (std::nothrow) int[10];
    delete new Wide;
    delete[] new Wide[2];
    heapwright_mark("throws");
    volatile std::size_t most = PTRDIFF_MAX;
    try {
        std::printf("%p\n", (void *)new char[most]);
        return 1;
    } catch (const std::bad_alloc &) {
    }
    heapwright_mark("the end");
    delete new char;
}
