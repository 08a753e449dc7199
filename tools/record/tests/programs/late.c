// A program of C that loads the library of C++ while it runs, so that a plugin finds the operators.
#include <dlfcn.h>
#include <stdlib.h>

int main(void) {
    if (!dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL)) return 77;
    void *(*operator_new)(size_t) = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znwm");
    void (*operator_delete)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "_ZdlPv");
    if (!operator_new || !operator_delete) return 1;
    for (int i = 0; i < 10; i++) operator_delete(operator_new(4343));
    return 0;
}
