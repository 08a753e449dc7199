// A library whose constructor, which runs before a preloaded malloc's, opens a plugin with RTLD_DEEPBIND.
#include "../exchange.h"

void *early_plugin;

__attribute__((constructor)) static void opened(void) {
    const char *path = getenv("PLUGIN");
    CHECK(path != NULL, "PLUGIN is not set");
    early_plugin = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
    CHECK(early_plugin != NULL, "dlopen: %s", dlerror());
    exchange(early_plugin);
}
