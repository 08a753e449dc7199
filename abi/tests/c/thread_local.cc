// C++17 [basic.stc.thread]: destructors of thread_local objects allocate and free, also those made by other destructors
// also: glibc
#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

static std::atomic<int> destroyed;

struct Inner {
    std::vector<std::string> strings;
    Inner() : strings(20, std::string(200, 'i')) {}
    ~Inner() {
        for (int i = 0; i < 50; i++) strings.push_back(std::string((size_t)i * 40, 'x'));
        destroyed++;
    }
};

static Inner &late() {
    thread_local Inner inner;
    return inner;
}

struct Outer {
    std::map<int, std::string> map;
    ~Outer() {
        for (int i = 0; i < 200; i++) map[i] = std::string(100 + (size_t)i, 'y');
        late().strings.clear(); // first use: a thread_local made while others are destroyed
        std::string *large = new std::string(300000, 'z');
        delete large;
        destroyed++;
    }
};

thread_local Outer outer;

int main() {
    for (int round = 0; round < 30; round++) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; i++)
            threads.emplace_back([] {
                outer.map[1] = "made";
                std::string text(1000, 'a');
            });
        for (std::thread &thread : threads) thread.join();
    }
    CHECK(destroyed == 30 * 8 * 2, "%d thread_local objects were destroyed, not %d", destroyed.load(), 30 * 8 * 2);
    outer.map[2] = "main's own";
    return 0;
}
