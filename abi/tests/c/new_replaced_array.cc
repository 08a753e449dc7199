// C++17 [new.delete.array]: a program that replaces operator new[](size_t) and operator delete[](void*) gets the nothrow and
//   sized array forms through them
// also: glibc
#include <new>

#include "check.h"

static int news, deletes;

void *operator new[](size_t size) {
    news++;
    void *block = malloc(size ? size : 1);
    if (!block) throw std::bad_alloc();
    return block;
}

void operator delete[](void *block) noexcept {
    if (block) deletes++;
    free(block);
}

#pragma GCC diagnostic ignored "-Wsized-deallocation"

int main() {
    ::operator delete[](hide(::operator new[](10)));
    CHECK(news == 1 && deletes == 1, "new[] and delete[]: %d and %d calls", news, deletes);
    ::operator delete[](hide(::operator new[](10, std::nothrow)), std::nothrow);
    CHECK(news == 2 && deletes == 2, "nothrow new[] and delete[]: %d and %d calls in all", news, deletes);
    ::operator delete[](hide(::operator new[](10)), (size_t)10);
    CHECK(news == 3 && deletes == 3, "sized delete[]: %d and %d calls in all", news, deletes);
    ::operator delete(hide(::operator new(10)));
    ::operator delete(hide(::operator new(10, std::nothrow)), std::nothrow);
    CHECK(news == 3 && deletes == 3, "the single forms call the program's array forms");
    return 0;
}
