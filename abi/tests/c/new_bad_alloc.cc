// C++17 [new.delete.single], [new.delete.array]: a throwing new that fails throws std::bad_alloc, and unwinding runs destructors
// also: glibc
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.h"

static int unwound;

struct Local {
    ~Local() { unwound++; }
};

template <class Allocate> static void throws(const char *form, Allocate allocate) {
    bool caught = false;
    int before = unwound;
    try {
        Local local;
        void *block = allocate();
        CHECK(false, "%s gives %p", form, block);
    } catch (const std::bad_alloc &error) {
        caught = true;
        CHECK(error.what() && *error.what(), "%s: what() is empty", form);
    } catch (...) {
        CHECK(false, "%s throws something that is no std::bad_alloc", form);
    }
    CHECK(caught && unwound == before + 1, "%s: the local object was destroyed %d times", form, unwound - before);
}

int main() {
    const size_t sizes[] = {(size_t)1 << 47, PTRDIFF_MAX, (size_t)PTRDIFF_MAX + 1, SIZE_MAX - 10000};
    for (size_t size : sizes) {
        size = hide_size(size);
        throws("operator new", [&] { return ::operator new(size); });
        throws("operator new[]", [&] { return ::operator new[](size); });
        throws("aligned operator new", [&] { return ::operator new(size, std::align_val_t(64)); });
        throws("aligned operator new[]", [&] { return ::operator new[](size, std::align_val_t(4096)); });
    }
    for (int i = 0; i < 1000; i++) throws("operator new", [&] { return ::operator new(hide_size(PTRDIFF_MAX)); });
    throws("std::vector", [&] { return (void *)new std::vector<char>(hide_size(PTRDIFF_MAX - 100)); });
    int *small = new int(5);
    CHECK(*small == 5, "new after failures is broken");
    delete small;
    return 0;
}
