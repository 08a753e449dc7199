// glibc malloc_info(3): malloc_info(0, file) writes well-formed XML whose root is <malloc version="...">, and returns 0
// also: glibc
#include <ctype.h>
#include <malloc.h>

#include "check.h"

enum { DEEPEST = 64 };

// Elements balance, attributes are quoted, one root: enough of XML for what malloc_info may write.
static void well_formed(const char *text) {
    const char *open[DEEPEST];
    size_t length[DEEPEST];
    int depth = 0, roots = 0;
    for (const char *at = text; *at;) {
        if (*at != '<') {
            CHECK(*at != '>' && *at != '&', "a bare %c in the text: %.40s", *at, at);
            CHECK(depth > 0 || isspace((unsigned char)*at), "text outside the root: %.40s", at);
            at++;
            continue;
        }
        int closing = at[1] == '/';
        const char *name = at + 1 + closing, *end = name;
        while (isalnum((unsigned char)*end) || *end == '_' || *end == '-') end++;
        CHECK(end > name, "no element name: %.40s", at);
        const char *close = end;
        while (*close && *close != '>') {
            if (*close == '"') close = strchr(close + 1, '"');
            CHECK(close && *close != '<', "an attribute does not end: %.60s", at);
            if (*close == '=') CHECK(close[1] == '"', "an attribute is not quoted: %.60s", at);
            close++;
        }
        CHECK(*close == '>', "an element does not end: %.60s", at);
        if (closing) {
            CHECK(depth > 0 && length[depth - 1] == (size_t)(end - name) && !memcmp(open[depth - 1], name, length[depth - 1]),
                  "</%.*s> closes something else", (int)(end - name), name);
            depth--;
        } else if (close[-1] != '/') {
            CHECK(depth < DEEPEST, "too deep: %.40s", at);
            if (!depth) roots++;
            open[depth] = name, length[depth++] = (size_t)(end - name);
        }
        at = close + 1;
    }
    CHECK(depth == 0, "<%.*s> is not closed", (int)length[depth - 1], open[depth - 1]);
    CHECK(roots == 1, "%d root elements", roots);
}

int main(void) {
    static char text[1 << 20];
    void *blocks[] = {malloc(10), malloc(1000), malloc(100000), malloc(10 * MIB)};
    free(blocks[1]);
    FILE *file = tmpfile();
    CHECK(file != NULL, "tmpfile fails");
    int result = malloc_info(0, file);
    CHECK(result == 0, "malloc_info(0, file) returns %d", result);
    rewind(file);
    size_t n = fread(text, 1, sizeof text - 1, file);
    CHECK(n > 0 && n < sizeof text - 1, "malloc_info wrote %zu bytes", n);
    text[n] = 0;
    CHECK(!strncmp(text, "<malloc version=\"", 17), "malloc_info starts with %.40s", text);
    well_formed(text);

    // A stream in memory allocates while malloc_info writes to it.
    char *memory = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&memory, &size);
    CHECK(stream != NULL && malloc_info(0, stream) == 0, "malloc_info into open_memstream fails");
    fclose(stream);
    well_formed(memory);
    free(memory);
    for (int i = 0; i < 4; i++)
        if (i != 1) free(blocks[i]);
    return 0;
}
