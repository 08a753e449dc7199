// survival: a plugin opened with RTLD_DEEPBIND, beside any other flag, frees what the program allocated and vice versa
// also: glibc
// plugin: exchange.c
#include "exchange.h"

int main(void) {
    alarm(55);
    const char *path = getenv("PLUGIN");
    CHECK(path != NULL, "PLUGIN is not set");
    CHECK(dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_DEEPBIND) == NULL, "RTLD_NOLOAD loads");
    const int binds[] = {RTLD_LAZY, RTLD_NOW}, more[] = {0, RTLD_GLOBAL, RTLD_NODELETE, RTLD_GLOBAL | RTLD_NODELETE};
    for (int i = 0; i < 8; i++) {
        void *plugin = dlopen(path, binds[i % 2] | more[i / 2] | RTLD_DEEPBIND);
        CHECK(plugin != NULL, "dlopen: %s", dlerror());
        void *again = dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_DEEPBIND);
        CHECK(again == plugin, "RTLD_NOLOAD does not find what is loaded");
        exchange(plugin);
        CHECK(dlclose(again) == 0 && dlclose(plugin) == 0, "dlclose: %s", dlerror());
        CHECK((dlsym(RTLD_DEFAULT, "exchange_give") != NULL) == (i / 2 == 3), "RTLD_GLOBAL and RTLD_NODELETE, round %d", i);
    }
    return 0;
}
