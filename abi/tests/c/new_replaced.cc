// C++17 [new.delete.single], [new.delete.array]: a program that replaces only operator new(size_t) and operator delete(void*)
//   gets every other plain form through them
// also: glibc
#include <new>
#include <string>
#include <vector>

#include "check.h"

static int news, deletes;

void *operator new(size_t size) {
    news++;
    void *block = malloc(size ? size : 1);
    if (!block) throw std::bad_alloc();
    return block;
}

void operator delete(void *block) noexcept {
    if (block) deletes++;
    free(block);
}

#pragma GCC diagnostic ignored "-Wsized-deallocation"

static void counted(const char *what, int new_calls, int delete_calls) {
    CHECK(news == new_calls, "%s calls the program's operator new %d times, not %d", what, news, new_calls);
    CHECK(deletes == delete_calls, "%s calls the program's operator delete %d times, not %d", what, deletes, delete_calls);
    news = deletes = 0;
}

int main() {
    news = deletes = 0;
    void *block = ::operator new(10);
    counted("new", 1, 0);
    ::operator delete(hide(block));
    counted("delete", 0, 1);
    block = ::operator new[](10);
    counted("new[]", 1, 0);
    ::operator delete[](hide(block));
    counted("delete[]", 0, 1);
    block = ::operator new(10, std::nothrow);
    counted("nothrow new", 1, 0);
    ::operator delete(hide(block), std::nothrow);
    counted("nothrow delete", 0, 1);
    block = ::operator new[](10, std::nothrow);
    counted("nothrow new[]", 1, 0);
    ::operator delete[](hide(block), std::nothrow);
    counted("nothrow delete[]", 0, 1);
    block = ::operator new(10);
    ::operator delete(hide(block), (size_t)10);
    counted("sized delete", 1, 1);
    block = ::operator new[](10);
    ::operator delete[](hide(block), (size_t)10);
    counted("sized delete[]", 1, 1);
    ::operator delete(hide(nullptr), (size_t)10);
    ::operator delete[](hide(nullptr));
    counted("delete of null", 0, 0);
    {
        std::vector<std::string> strings(100, std::string(100, 'x'));
        CHECK(news == 102 || news == 101, "a vector of 100 strings calls the program's operator new %d times", news);
    }
    CHECK(news == deletes, "%d news, but %d deletes", news, deletes);
    return 0;
}
