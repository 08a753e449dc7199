// glibc's exported aliases: __libc_malloc and the rest are the same allocator as malloc and the rest
// also: glibc
#include <dlfcn.h>
#include <malloc.h>

#include "check.h"

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void __libc_free(void *);
void *__libc_memalign(size_t, size_t);
void *__libc_valloc(size_t);
void *__libc_pvalloc(size_t);

static const char *home(const char *name) {
    void *address = dlsym(RTLD_DEFAULT, name);
    CHECK(address != NULL, "there is no %s", name);
    Dl_info info;
    CHECK(dladdr(address, &info) && info.dli_fname, "dladdr(%s) fails", name);
    return info.dli_fname;
}

int main(void) {
    const char *names[] = {"__libc_malloc",   "__libc_calloc", "__libc_realloc",  "__libc_free",     "__libc_memalign",
                           "__libc_valloc",   "__libc_pvalloc", "__libc_mallinfo", "__libc_mallopt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(!strcmp(home(names[i]), home("malloc")), "%s is in %s, malloc in %s", names[i], home(names[i]), home("malloc"));

    for (size_t size = 1; size <= 4 * MIB; size = size * 2 + 1) {
        void *blocks[] = {__libc_malloc(size),       __libc_calloc(1, size), __libc_realloc(NULL, size),
                          __libc_memalign(64, size), __libc_valloc(size),    __libc_pvalloc(size)};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
            CHECK(blocks[i] && malloc_usable_size(blocks[i]) >= size, "%s-like block of %zu is %p", names[i], size, blocks[i]);
            fill(blocks[i], size, 1);
            blocks[i] = i % 2 ? realloc(blocks[i], size + 1) : __libc_realloc(blocks[i], size + 1);
            CHECK(blocks[i] && first_difference(blocks[i], size, 1) == size, "realloc of a block of %zu lost contents", size);
            i % 3 ? free(blocks[i]) : __libc_free(blocks[i]);
        }
        __libc_free(malloc(size));
        free(__libc_malloc(size));
    }
    return 0;
}
