// leak: a reader of settings duplicates what it complains about, and one kind of complaint is never given back.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *copy(const char *text) { return strcpy(malloc(strlen(text) + 1), text); }

int main(void) {
    size_t all = 0;
    for (int file = 0; file < 600; file++) {
        char *keys[100], *values[100], text[200];
        for (int line = 0; line < 100; line++) {
            snprintf(text, sizeof text, "setting-%d.%d", file % 13, line);
            keys[line] = copy(text);
            snprintf(text, sizeof text, "%0*d", 10 + (line * 7 + file) % 150, line);
            values[line] = copy(text);
            if ((line + file) % 7 == 0) {
                snprintf(text, sizeof text, "line %d of file %d: %.60s is not a setting", line, file, values[line]);
                char *complaint = copy(text);
                all += strlen(complaint);
                if (line % 2) free(complaint);
            }
        }
        for (int line = 0; line < 100; line++) free(keys[line]), free(values[line]);
    }
    return all == 1;
}
