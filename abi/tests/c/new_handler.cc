// C++17 [new.handler]: new calls the new-handler until it succeeds, the handler throws, or there is none
// also: glibc
#include <initializer_list>
#include <new>

#include "check.h"

static int calls;

static void three_times() {
    if (++calls == 3) std::set_new_handler(nullptr);
}

static void throws_at_once() {
    calls++;
    throw std::bad_alloc();
}

static void install(std::new_handler handler) {
    calls = 0;
    std::set_new_handler(handler);
}

template <class Allocate> static bool fails(Allocate allocate) {
    try {
        return allocate() == nullptr;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

int main() {
    size_t size = hide_size(PTRDIFF_MAX);
    std::align_val_t a{64};
    for (std::new_handler handler : {three_times, throws_at_once}) {
        int expected = handler == three_times ? 3 : 1;
        auto check = [&](const char *form, auto allocate) {
            install(handler);
            CHECK(fails(allocate), "%s does not fail", form);
            CHECK(calls == expected, "%s calls the handler %d times, not %d", form, calls, expected);
        };
        check("new", [&] { return ::operator new(size); });
        check("new[]", [&] { return ::operator new[](size); });
        check("aligned new", [&] { return ::operator new(size, a); });
        check("aligned new[]", [&] { return ::operator new[](size, a); });
#ifdef NOTHROW_CANNOT_CATCH
        if (handler == throws_at_once) continue;
#endif
        check("nothrow new", [&] { return ::operator new(size, std::nothrow); });
        check("nothrow new[]", [&] { return ::operator new[](size, std::nothrow); });
        check("aligned nothrow new", [&] { return ::operator new(size, a, std::nothrow); });
        check("aligned nothrow new[]", [&] { return ::operator new[](size, a, std::nothrow); });
    }
    // malloc itself never calls it, and success neither.
    install(throws_at_once);
    CHECK(malloc(size) == nullptr, "malloc(PTRDIFF_MAX) succeeds");
    delete new int;
    CHECK(calls == 0, "the handler was called %d times without need", calls);
    return 0;
}
