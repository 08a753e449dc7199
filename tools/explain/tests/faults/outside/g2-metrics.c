// growing-cache: The number of series grows without end, entries are kept and partly replaced: a table
// without a limit.

/* A metrics agent: counters by name and label; every label that ever came (a user's id, a path with a number in it) makes a series.
 * Each series has its ring of points, that is renewed (malloc, copy, free) when it doubles, and a last value as a string that is replaced.
 * FAULT (growth): series never expire. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct series { struct series *next; char *name; char *last; double *points; int n, room; };
static struct series **table;
static unsigned buckets = 1024, used;
static unsigned long seed = 5;
static unsigned rnd(unsigned n) { seed = seed * 6364136223846793005ul + 1442695040888963407ul; return (unsigned)(seed >> 33) % n; }
static unsigned hash(const char *s) { unsigned h = 2166136261u; while (*s) h = (h ^ (unsigned char)*s++) * 16777619u; return h; }

static void grow(void) {
    unsigned n = buckets * 2;
    struct series **t = calloc(n, sizeof *t);
    for (unsigned i = 0; i < buckets; i++)
        for (struct series *s = table[i], *next; s; s = next) { next = s->next; unsigned h = hash(s->name) % n; s->next = t[h]; t[h] = s; }
    free(table);
    table = t;
    buckets = n;
}

static struct series *find(const char *name) {
    unsigned h = hash(name) % buckets;
    for (struct series *s = table[h]; s; s = s->next) if (!strcmp(s->name, name)) return s;
    if (++used > buckets) { grow(); h = hash(name) % buckets; }
    struct series *s = calloc(1, sizeof *s);
    s->name = strdup(name);
    s->next = table[h];
    return table[h] = s;
}

int main(void) {
    table = calloc(buckets, sizeof *table);
    unsigned users = 2000;
    for (int tick = 0; tick < 1000; tick++) {
        users += 110;                                            /* new users all day */
        for (int i = 0; i < 700; i++) {
            char name[128], value[64];
            snprintf(name, sizeof name, "http_requests_total{method=\"%s\",user=\"%08u\"}", rnd(2) ? "GET" : "POST", rnd(4) ? rnd(users) : users - rnd(110));
            struct series *s = find(name);
            if (s->n == s->room) {
                int room = s->room ? s->room * 2 : 4;
                double *p = malloc(room * sizeof *p);
                if (s->n) memcpy(p, s->points, s->n * sizeof *p);
                free(s->points);
                s->points = p;
                s->room = room;
            }
            s->points[s->n++] = i;
            int n = snprintf(value, sizeof value, "%u", rnd(1000000000));
            free(s->last);
            s->last = malloc(n + 1 + rnd(24));
            memcpy(s->last, value, n + 1);
        }
        char *page = malloc(200000);                              /* the scrape */
        memset(page, 'm', 200000);
        free(page);
        usleep(4000);
    }
    fprintf(stderr, "%u series\n", used);
    return 0;
}
