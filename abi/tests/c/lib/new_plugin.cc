// A plugin whose requests fail.
#include <cstddef>
#include <new>

static volatile std::size_t too_large = std::size_t(1) << 60;
static int calls;
static void *given;

struct Own {};

template <class Thrown, class Allocate> static bool throws(Allocate allocate) {
    try {
        given = allocate();
    } catch (const Thrown &) {
        return true;
    }
    return false;
}

extern "C" const char *failing() {
    if (!throws<std::bad_alloc>([] { return ::operator new(too_large); })) return "new does not throw";
    if (!throws<std::bad_alloc>([] { return ::operator new[](too_large); })) return "new[] does not throw";
    if (!throws<std::bad_alloc>([] { return ::operator new(too_large, std::align_val_t(64)); })) return "new of an alignment does not throw";
    if (::operator new(too_large, std::nothrow) != nullptr) return "the nothrow form gives a block";
    std::set_new_handler([] {
        if (++calls == 3) throw Own();
    });
    if (!throws<Own>([] { return ::operator new(too_large); })) return "what the new-handler throws does not arrive";
    if (calls != 3) return "the new-handler is not called until it throws";
    std::set_new_handler(nullptr);
    return nullptr;
}
