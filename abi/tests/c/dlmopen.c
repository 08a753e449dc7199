// survival: dlmopen opens a plugin in a namespace with a C library of its own, and what it opens goes there too
// also: glibc
// plugin: exchange.c
#include "exchange.h"

int main(void) {
    const char *path = getenv("PLUGIN");
    CHECK(path != NULL, "PLUGIN is not set");
    void *other = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_DEEPBIND);
    CHECK(other != NULL, "dlmopen: %s", dlerror());
    Lmid_t namespace, found;
    CHECK(dlinfo(other, RTLD_DI_LMID, &namespace) == 0 && namespace != LM_ID_BASE, "the plugin is in the program's namespace");
    char *(*give)(int) = exchange_symbol(other, "exchange_give");
    void (*take)(char *) = exchange_symbol(other, "exchange_take");
    void *(*their_malloc)(void) = exchange_symbol(other, "exchange_malloc");
    void *(*open)(const char *, int) = exchange_symbol(other, "exchange_open");
    CHECK(their_malloc() != (void *)malloc, "the plugin calls the program's malloc");
    char *block;
    for (int how = 0; (block = give(how)) != NULL; how++) take(block);
    void *library = open("libm.so.6", RTLD_NOW | RTLD_DEEPBIND);
    CHECK(library != NULL, "dlopen in the namespace: %s", dlerror());
    CHECK(dlinfo(library, RTLD_DI_LMID, &found) == 0 && found == namespace, "what the plugin opens is in another namespace");
    // The same file in the program's namespace is another library, on the program's malloc.
    void *here = dlopen(path, RTLD_NOW | RTLD_DEEPBIND);
    CHECK(here != NULL && here != other, "dlopen: %s", dlerror());
    exchange(here);
    void *base = dlmopen(LM_ID_BASE, path, RTLD_NOW);
    CHECK(base == here, "LM_ID_BASE is another namespace");
    return 0;
}
