// C++17 [new.delete]: every form of operator new gives a writable block of its alignment, and its deletes take it
// also: glibc
#include <new>

#include "check.h"

static void plain(size_t size) {
    void *blocks[] = {::operator new(size), ::operator new[](size), ::operator new(size, std::nothrow), ::operator new[](size, std::nothrow),
                      ::operator new(size), ::operator new[](size)};
    for (unsigned i = 0; i < 6; i++) {
        CHECK(blocks[i] && aligned(blocks[i], 16), "form %u of new(%zu) is %p", i, size, blocks[i]);
        fill(blocks[i], size, i);
    }
    for (unsigned i = 0; i < 6; i++) CHECK(first_difference(blocks[i], size, i) == size, "form %u of new(%zu) was overwritten", i, size);
    ::operator delete(blocks[0]);
    ::operator delete[](blocks[1]);
    ::operator delete(blocks[2], std::nothrow);
    ::operator delete[](blocks[3], std::nothrow);
    ::operator delete(blocks[4], size);
    ::operator delete[](blocks[5], size);
}

static void over_aligned(size_t size, size_t alignment) {
    std::align_val_t a{alignment};
    void *blocks[] = {::operator new(size, a), ::operator new[](size, a), ::operator new(size, a, std::nothrow),
                      ::operator new[](size, a, std::nothrow), ::operator new(size, a), ::operator new[](size, a)};
    for (unsigned i = 0; i < 6; i++) {
        CHECK(blocks[i] && aligned(blocks[i], alignment), "form %u of new(%zu, align %zu) is %p", i, size, alignment, blocks[i]);
        fill(blocks[i], size, i);
    }
    for (unsigned i = 0; i < 6; i++) CHECK(first_difference(blocks[i], size, i) == size, "form %u of new(%zu) was overwritten", i, size);
    ::operator delete(blocks[0], a);
    ::operator delete[](blocks[1], a);
    ::operator delete(blocks[2], a, std::nothrow);
    ::operator delete[](blocks[3], a, std::nothrow);
    ::operator delete(blocks[4], size, a);
    ::operator delete[](blocks[5], size, a);
}

struct alignas(256) Wide {
    char bytes[512];
    ~Wide() { bytes[0] = 0; }
};

int main() {
    for (size_t size = 0; size <= 2 * MIB; size = size < 300 ? size + 1 : size * 2 - 77) plain(size);
    for (size_t size = 0; size <= MIB; size = size * 3 + 1)
        for (size_t alignment = 1; alignment <= 64 * KIB; alignment *= 2) over_aligned(size, alignment);
    Wide *one = new Wide, *many = new Wide[7];
    CHECK(aligned(one, 256) && aligned(many, 256), "new of a class aligned to 256 is %p and %p", (void *)one, (void *)many);
    memset(hide(one->bytes), 1, sizeof one->bytes);
    delete one;
    delete[] many;
    return 0;
}
