// design: under safe every legal pair of new and sized delete passes, after others have left what they will in registers
// flags: -std=c++17 -fsized-deallocation
// env: HEAPWRIGHT=safe=1
// also: glibc
#include <new>
#include <string>
#include <vector>

#include "check.h"

int main() {
    for (size_t size = 0; size < 40 * MIB; size = next_size(size)) {
        ::operator delete(::operator new(size), size);
        ::operator delete[](::operator new[](size), size);
        for (size_t alignment = 1; alignment <= 4096; alignment *= 8) {
            auto align = std::align_val_t(alignment);
            ::operator delete(::operator new(size, align), size, align);
            ::operator delete[](::operator new[](size, align), size, align);
            ::operator delete(::operator new(size, align), align);
        }
        ::operator delete(::operator new(size));
    }
    std::vector<std::string> words;
    for (int i = 0; i < 20000; i++) words.push_back(std::string(i % 100, 'x'));
    words.resize(100);
    words.shrink_to_fit();
    CHECK(words.size() == 100, "the words are lost");
    return 0;
}
