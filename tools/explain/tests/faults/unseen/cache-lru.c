// growing-cache: entries in the order of their use, the oldest of which leave; but the limit rises with the load.
#include <stdlib.h>
#include <string.h>

struct entry {
    struct entry *older, *newer;
    unsigned key;
    size_t size;
    char value[];
};

#define SLOTS 65536
static struct entry *slots[SLOTS], *oldest, *newest;
static unsigned count;

static void unlink_entry(struct entry *entry) {
    *(entry->older ? &entry->older->newer : &oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &newest) = entry->older;
}

static void link_newest(struct entry *entry) {
    entry->newer = NULL;
    entry->older = newest;
    *(newest ? &newest->newer : &oldest) = entry;
    newest = entry;
}

int main(void) {
    unsigned random = 12345;
    for (unsigned request = 0; request < 400000; request++) {
        random = random * 1664525u + 1013904223u;
        unsigned key = (random >> 16) % (1000 + request / 8) % SLOTS;
        struct entry *entry = slots[key];
        if (entry) {
            unlink_entry(entry);
        } else {
            size_t size = 50 + key % 350;
            entry = malloc(sizeof *entry + size);
            entry->key = key;
            memset(entry->value, 1, size);
            slots[key] = entry;
            count++;
        }
        link_newest(entry);
        unsigned limit = 500 + request / 16;
        while (count > limit) {
            struct entry *gone = oldest;
            unlink_entry(gone);
            slots[gone->key] = NULL;
            free(gone);
            count--;
        }
    }
    return 0;
}
