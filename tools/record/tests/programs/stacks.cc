// The same for C++: blocks of operator new, of a method, a lambda, a template, and behind an exception that was caught.
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <functional>
#include <stdexcept>

char *volatile block;

__attribute__((noinline)) void leaf(int size) {
    void *frames[100];
    block = new char[size];
    int depth = backtrace(frames, 100);
    printf("%d", size);
    for (int i = 0; i < depth; i++) printf(" %p", frames[i]);
    printf("\n");
    delete[] block;
}

struct Shape {
    virtual ~Shape() = default;
    virtual void draw(int size) = 0;
};

struct Round : Shape {
    __attribute__((noinline)) void draw(int size) override {
        leaf(size);
        block = nullptr;
    }
};

template <typename Call> __attribute__((noinline)) void twice(Call call) {
    for (int i = 0; i < 2; i++) call(6000 + i);
    block = nullptr;
}

__attribute__((noinline)) void throws(Shape *shape) {
    try {
        throw std::runtime_error("no");
    } catch (const std::exception &) {
        shape->draw(6100);
    }
    block = nullptr;
}

int main() {
    void *first[4];
    backtrace(first, 4);
    Shape *shape = new Round;
    std::function<void(int)> function = [&](int size) { shape->draw(size); block = nullptr; };
    twice(function);
    throws(shape);
    delete shape;
}
