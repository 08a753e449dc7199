// fragmentation: 80,000 names of 40 B (4 MB) made between tree nodes pin ~200 MB of freed nodes; malloc_trim does not
// help

// A parser: each document becomes a tree of small nodes, thrown away in the end; every 25th node interns a name that
// lives on, next to it.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
#include <stdint.h>
typedef struct node {
    struct node *next;
    int kind;
    char text[1];
} node;
static char **names;
static size_t nn;
static uint64_t s = 99991;
static uint32_t rnd(void) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s >> 32;
}
int main(void) {
    names = malloc(sizeof(char *) * 400000);
    node *tree = 0;
    size_t live = 0;
    for (int i = 0; i < 2000000; i++) {
        size_t n = sizeof(node) + 30 + rnd() % 120;
        node *x = malloc(n);
        memset(x, 1, n);
        x->next = tree;
        tree = x;
        if (i % 25 == 0) {
            char *c = malloc(40);
            memset(c, 'n', 40);
            names[nn++] = c;
            live += 48;
        }
    }
    while (tree) {
        node *y = tree->next;
        free(tree);
        tree = y;
    }
    // now the emitter: rows wider than the holes between two names, few at a time
    long sum = 0;
    for (int r = 0; r < 30; r++) {
        char *row[64];
        for (int i = 0; i < 64; i++) {
            row[i] = malloc(6000 + rnd() % 2000);
            memset(row[i], r, 6000);
        }
        for (size_t i = 0; i < nn; i += 3) sum += names[i][3];
        for (int i = 0; i < 64; i++) free(row[i]);
        struct timespec ts = {0, 50000000};
        nanosleep(&ts, 0);
    }
    printf("%ld\n", sum);
    return 0;
}
