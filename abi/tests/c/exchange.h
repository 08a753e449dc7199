// Hands blocks over between the program and the plugin lib/exchange.c, in both directions.
#ifndef EXCHANGE_H
#define EXCHANGE_H

#include <dlfcn.h>

#include "check.h"

static inline void *exchange_symbol(void *plugin, const char *name) {
    void *address = dlsym(plugin, name);
    CHECK(address != NULL, "dlsym(%s): %s", name, dlerror());
    return address;
}

// The plugin's malloc and free are the program's, and blocks of every function can be handed over.
static inline void exchange(void *plugin) {
    void *(*their_malloc)(void) = exchange_symbol(plugin, "exchange_malloc");
    void *(*their_free)(void) = exchange_symbol(plugin, "exchange_free");
    char *(*give)(int) = exchange_symbol(plugin, "exchange_give");
    void (*take)(char *) = exchange_symbol(plugin, "exchange_take");
    char *(*grow)(char *, size_t) = exchange_symbol(plugin, "exchange_grow");
    CHECK(their_malloc() == (void *)malloc, "the plugin calls another malloc");
    CHECK(their_free() == (void *)free, "the plugin calls another free");
    char *block;
    for (int how = 0; (block = give(how)) != NULL; how++) {
        CHECK(strcmp(block, "exchanged") == 0, "the plugin gives another text");
        free(block);
        free(realloc(give(how), 5000));
        take(give(how));
    }
    take(strdup("exchanged"));
    CHECK(asprintf(&block, "exchange%c", 'd') > 0, "asprintf fails");
    take(grow(block, 70000));
}

#endif
