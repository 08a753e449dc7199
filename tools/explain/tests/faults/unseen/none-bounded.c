// none: a cache with a limit, which it reaches early.
#include <stdlib.h>
#include <string.h>

#define LIMIT 20000
struct entry { unsigned key; char *value; };

int main(void) {
    static struct entry ring[LIMIT];
    unsigned random = 5;
    for (int request = 0; request < 600000; request++) {
        random = random * 1664525u + 1013904223u;
        struct entry *entry = &ring[request % LIMIT];
        size_t size = 100 + (random >> 16) % 400;
        free(entry->value);
        entry->key = random;
        entry->value = malloc(size);
        memset(entry->value, 1, size);
        char *reply = malloc(size * 2);
        memset(reply, 2, size);
        free(reply);
    }
    for (int i = 0; i < LIMIT; i++) free(ring[i].value);
    return 0;
}
