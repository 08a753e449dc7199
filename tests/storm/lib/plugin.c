// What plugins.c opens and closes: it allocates when it is loaded and frees when it goes, and gives blocks that it or the C library
// allocated to whoever asks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *kept;
static __thread int calls;

__attribute__((constructor)) static void loaded(void) {
    kept = malloc(3000);
    if (kept) memset(kept, 'k', 3000);
}

__attribute__((destructor)) static void unloaded(void) {
    for (int i = 0; kept && i < 3000; i++)
        if (kept[i] != 'k') abort();
    free(kept);
}

void *plugin_take(size_t size) {
    calls++;
    return malloc(size);
}

void *plugin_resize(void *block, size_t size) { return realloc(block, size); }

void plugin_give(void *block) { free(block); }

// Blocks that the C library allocates in our name, freed here: 1 if they hold what they should.
int plugin_texts(int number) {
    char *text = NULL, *copy;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (!file) return 0;
    fprintf(file, "number %d of a plugin that says %0*d", number, number % 500, calls);
    fclose(file);
    copy = strdup(text);
    int same = copy && strcmp(copy, text) == 0 && strlen(copy) == length;
    free(text);
    free(copy);
    return same;
}
