// growing-cache: an intern table of names as a binary tree with a static root; nothing is taken out, new names become
// rarer

#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
struct N {
    struct N *l, *r;
    char *s;
};
static struct N *root;
int main(void) {
    unsigned s = 9;
    for (int i = 0; i < 150000; i++) {
        s = s * 1664525u + 1013904223u;
        unsigned a = (s >> 8) % 40000;
        if (a > 20000) a = a / 4;
        char b[64];
        snprintf(b, 64, "name-%u-of-an-entity", a);
        char *t = strdup(b);
        struct N **p = &root;
        int c;
        while (*p && (c = strcmp(t, (*p)->s))) p = c < 0 ? &(*p)->l : &(*p)->r;
        if (*p) free(t);
        else {
            *p = calloc(1, sizeof **p);
            (*p)->s = t;
        }
        if (i % 150 == 0) usleep(2000);
    }
    return 0;
}
