// C++17 [new.delete.single]: a new that fails in a plugin with the C++ library linked into it, opened by a program that has none,
//   throws what the plugin catches, and calls the plugin's new-handler
// also: glibc
// flags: -static-libstdc++
// plugin: new_plugin.cc -static-libstdc++ -static-libgcc
#include <dlfcn.h>

#include "check.h"

int main() {
    char *path = getenv("PLUGIN");
    CHECK(path != NULL, "PLUGIN is not set");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle != NULL, "dlopen: %s", dlerror());
    const char *(*failing)(void) = reinterpret_cast<const char *(*)(void)>(dlsym(handle, "failing"));
    CHECK(failing != NULL, "dlsym: %s", dlerror());
    const char *wrong = failing();
    CHECK(wrong == NULL, "%s", wrong);
    CHECK(dlclose(handle) == 0, "dlclose: %s", dlerror());
    return 0;
}
