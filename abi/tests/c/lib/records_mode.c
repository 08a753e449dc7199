// A library with a dlopen of its own, behind the malloc's: it records the mode and calls the C library's.
#include <dlfcn.h>

int recorded_mode = -1;

void *dlopen(const char *name, int mode) {
    recorded_mode = mode;
    void *(*real)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_NEXT, "dlopen");
    return real(name, mode);
}
