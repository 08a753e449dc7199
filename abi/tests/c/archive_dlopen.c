// survival: a program linked to libheapwright.a opens a plugin with RTLD_DEEPBIND, which then shares the program's malloc
// link: archive
// plugin: exchange.c
// flags: -Wl,--fatal-warnings
#include <heapwright.h>

#include "exchange.h"

int main(void) {
    CHECK(heapwright_version() != NULL, "not linked");
    void *plugin = dlopen(getenv("PLUGIN"), RTLD_NOW | RTLD_DEEPBIND);
    CHECK(plugin != NULL, "dlopen: %s", dlerror());
    exchange(plugin);
    return 0;
}
