// survival: a constructor that runs before the malloc's own opens a plugin with RTLD_DEEPBIND, which then shares the program's malloc
// also: glibc
// library: opens_early.c
// plugin: exchange.c
#include "exchange.h"

extern void *early_plugin;

int main(void) {
    CHECK(early_plugin != NULL, "the constructor has not run");
    exchange(early_plugin);
    void *plugin = dlopen(getenv("PLUGIN"), RTLD_LAZY | RTLD_DEEPBIND);
    CHECK(plugin == early_plugin, "the plugin is there twice: %s", dlerror());
    return 0;
}
