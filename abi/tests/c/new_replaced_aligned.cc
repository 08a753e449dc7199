// C++17 [new.delete.single], [new.delete.array]: a program that replaces operator new(size_t, align_val_t) and its delete gets
//   the nothrow, array and sized aligned forms through them
// also: glibc
#include <new>

#include "check.h"

static int news, deletes;

void *operator new(size_t size, std::align_val_t alignment) {
    news++;
    void *block = aligned_alloc((size_t)alignment, size ? size : 1);
    if (!block) throw std::bad_alloc();
    return block;
}

void operator delete(void *block, std::align_val_t) noexcept {
    if (block) deletes++;
    free(block);
}

int main() {
    std::align_val_t a{128};
    int calls = 0;
    auto counted = [&](const char *what) {
        calls++;
        CHECK(news == calls, "%s: %d calls of the program's operator new, not %d", what, news, calls);
        CHECK(deletes == calls, "%s: %d calls of the program's operator delete, not %d", what, deletes, calls);
    };
    ::operator delete(hide(::operator new(10, a)), a);
    counted("aligned new");
    ::operator delete(hide(::operator new(10, a, std::nothrow)), a, std::nothrow);
    counted("aligned nothrow new");
    ::operator delete[](hide(::operator new[](10, a)), a);
    counted("aligned new[]");
    ::operator delete[](hide(::operator new[](10, a, std::nothrow)), a, std::nothrow);
    counted("aligned nothrow new[]");
    ::operator delete(hide(::operator new(10, a)), (size_t)10, a);
    counted("sized aligned delete");
    ::operator delete[](hide(::operator new[](10, a)), (size_t)10, a);
    counted("sized aligned delete[]");
    ::operator delete(hide(::operator new(10)));
    CHECK(news == calls && deletes == calls, "the plain forms call the program's aligned forms");
    return 0;
}
