// C++17 [expr.delete], [new.delete]: every form of delete takes a null pointer and does nothing
// also: glibc
#include <new>

#include "check.h"

int main() {
    std::align_val_t a{64};
    errno = 4242;
    ::operator delete(hide(nullptr));
    ::operator delete[](hide(nullptr));
    ::operator delete(hide(nullptr), std::nothrow);
    ::operator delete[](hide(nullptr), std::nothrow);
    ::operator delete(hide(nullptr), (size_t)8);
    ::operator delete[](hide(nullptr), (size_t)8);
    ::operator delete(hide(nullptr), hide_size(SIZE_MAX));
    ::operator delete(hide(nullptr), a);
    ::operator delete[](hide(nullptr), a);
    ::operator delete(hide(nullptr), a, std::nothrow);
    ::operator delete[](hide(nullptr), a, std::nothrow);
    ::operator delete(hide(nullptr), (size_t)8, a);
    ::operator delete[](hide(nullptr), (size_t)8, a);
    delete (int *)hide(nullptr);
    delete[] (int *)hide(nullptr);
    CHECK(errno == 4242, "a delete of null sets errno to %d", errno);
    delete new int;
    return 0;
}
