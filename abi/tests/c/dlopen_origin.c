// dlopen(3): a library is looked for where the RUNPATH of the library that calls dlopen says, which may begin with $ORIGIN
// also: glibc
// library: opens_neighbour.c -Wl,--enable-new-dtags,-rpath,$ORIGIN
// plugin: exchange.c
#include "exchange.h"

void *open_neighbour(const char *name, int mode);

int main(void) {
    const char *path = getenv("PLUGIN");
    CHECK(path != NULL && strrchr(path, '/') != NULL, "PLUGIN is not set");
    const char *name = strrchr(path, '/') + 1;
    CHECK(chdir("/") == 0, "chdir fails");
    CHECK(dlopen(name, RTLD_NOW | RTLD_DEEPBIND) == NULL, "the program, which has no RUNPATH, finds %s", name);
    CHECK(strstr(dlerror(), name) != NULL, "dlerror does not name what is missing");
    void *plugin = open_neighbour(name, RTLD_NOW | RTLD_DEEPBIND);
    CHECK(plugin != NULL, "the RUNPATH of the caller is not searched: %s", dlerror());
    exchange(plugin);
    return 0;
}
