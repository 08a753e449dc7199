// growing-cache: a tree of results that were computed once; some are computed anew and replaced, none is left out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result {
    struct result *left, *right;
    unsigned key;
    char *text;
};

static struct result **find(struct result **at, unsigned key) {
    while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->left : &(*at)->right;
    return at;
}

static char *compute(unsigned key) {
    char *parts = malloc(1000);
    int length = snprintf(parts, 1000, "%u squared is %llu", key, (unsigned long long)key * key);
    char *text = malloc(length + key % 120 + 1);
    memcpy(text, parts, length + 1);
    free(parts);
    return text;
}

int main(void) {
    struct result *root = NULL;
    unsigned random = 99;
    for (int query = 0; query < 300000; query++) {
        random = random * 1664525u + 1013904223u;
        unsigned key = (random >> 8) % 100000;
        struct result **at = find(&root, key);
        if (!*at) {
            *at = calloc(1, sizeof **at);
            (*at)->key = key;
            (*at)->text = compute(key);
        } else if (query % 4 == 0) {
            free((*at)->text);
            (*at)->text = compute(key);
        }
    }
    return 0;
}
