// libstdc++ practice: new and malloc are one allocator, so that std::free(new ...) and interchanged deletes do no harm
// also: glibc
#include <malloc.h>

#include <new>

#include "check.h"

int main() {
    for (size_t size = 1; size <= 4 * MIB; size = size * 2 + 1) {
        free(hide(::operator new(size)));
        ::operator delete(hide(malloc(size)));
        ::operator delete(hide(calloc(1, size)));
        ::operator delete[](hide(malloc(size)));
        void *block = realloc(hide(::operator new(size)), size * 2);
        CHECK(block && malloc_usable_size(block) >= size * 2, "realloc of new's block is %p", block);
        ::operator delete(hide(block));
        free(hide(::operator new(size, std::align_val_t(256))));
    }
    return 0;
}
