// A plugin that takes and gives blocks by every function it can get one from.
#include <dlfcn.h>

#include "../check.h"

// Where the plugin's own calls go.
void *exchange_malloc(void) { return (void *)malloc; }
void *exchange_free(void) { return (void *)free; }

char *exchange_give(int how) {
    char *block = NULL;
    size_t size = 0;
    switch (how) {
    case 0: return strdup("exchanged");
    case 1: return asprintf(&block, "exchang%s", "ed") > 0 ? block : NULL;
    case 2: return strcpy(malloc(100), "exchanged");
    case 3: return strcpy(calloc(1, 3000), "exchanged");
    case 4: return strcpy(realloc(NULL, 300000), "exchanged");
    case 5: return strcpy(aligned_alloc(64, 640), "exchanged");
    case 6: {
        char text[] = "exchanged\n";
        FILE *lines = fmemopen(text, sizeof text - 1, "r");
        ssize_t length = getline(&block, &size, lines);
        fclose(lines);
        if (length > 0) block[length - 1] = 0;
        return block;
    }
    default: return NULL;
    }
}

void exchange_take(char *block) {
    CHECK(strcmp(block, "exchanged") == 0, "the plugin is given another text");
    free(block);
}

char *exchange_grow(char *block, size_t size) { return realloc(block, size); }

// Opens a library by a name without a folder.
void *exchange_open(const char *name, int mode) { return dlopen(name, mode); }
