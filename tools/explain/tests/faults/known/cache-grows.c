// growing-cache: a table of answers; few keys are dropped, more are added, and the table is made larger.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 88172645463325252ull;
static unsigned next(unsigned below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 32) % below;
}

struct entry {
    struct entry *next;
    unsigned key;
    char *value;
};

static struct entry **table;
static unsigned buckets = 64, entries;

static void enlarge(void) {
    struct entry **larger = calloc(buckets * 2, sizeof *larger);
    for (unsigned i = 0; i < buckets; i++)
        for (struct entry *at = table[i], *after; at; at = after) {
            after = at->next;
            struct entry **to = &larger[at->key % (buckets * 2)];
            at->next = *to;
            *to = at;
        }
    free(table);
    table = larger;
    buckets *= 2;
}

static void drop_one(void) {
    for (;;) {
        struct entry **at = &table[next(buckets)];
        if (!*at) continue;
        struct entry *gone = *at;
        *at = gone->next;
        free(gone->value);
        free(gone);
        entries--;
        return;
    }
}

int main(void) {
    table = calloc(buckets, sizeof *table);
    for (unsigned request = 0; request < 300000; request++) {
        char *work = malloc(500);
        snprintf(work, 500, "request %u", request);
        if (request % 3 == 0) {
            struct entry *entry = malloc(sizeof *entry);
            entry->key = request;
            entry->value = malloc(40 + next(200));
            strcpy(entry->value, work);
            entry->next = table[request % buckets];
            table[request % buckets] = entry;
            if (++entries > buckets) enlarge();
            if (entries > 100 && next(4) == 0) drop_one();
        }
        free(work);
    }
    return 0;
}
