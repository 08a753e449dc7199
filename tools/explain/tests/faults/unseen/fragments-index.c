// fragmentation: each document leaves an entry of an index between its lines; the lines go, the entries stay for long.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DOCUMENTS 400
#define LINES 400
struct entry { struct entry *next; long hash, place; };

int main(void) {
    static char *lines[DOCUMENTS][LINES];
    struct entry *index = NULL;
    for (int document = 0; document < DOCUMENTS; document++)
        for (int line = 0; line < LINES; line++) {
            size_t size = 80 + (document * 31 + line * 17) % 200;
            lines[document][line] = malloc(size);
            memset(lines[document][line], 1, size);
            if (line % 16 == 0) {
                struct entry *entry = malloc(sizeof *entry);
                *entry = (struct entry){index, document * 31, line};
                index = entry;
            }
        }
    for (int document = 0; document < DOCUMENTS; document++)
        for (int line = 0; line < LINES; line++) free(lines[document][line]);
    long found = 0;
    for (int query = 0; query < 300; query++) {
        for (struct entry *entry = index; entry; entry = entry->next) found += entry->hash == query * 31;
        char *answer = malloc(4000);
        memset(answer, 1, 4000);
        free(answer);
        usleep(1000);
    }
    return found == 0;
}
