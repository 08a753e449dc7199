// growing-cache: a table of sessions with fixed buckets (static), chains that only become longer

#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
struct S {
    struct S *next;
    char *user;
    char *data;
    int hits;
};
static struct S *b[4096];
int main(void) {
    unsigned s = 11;
    for (int i = 0; i < 200000; i++) {
        s = s * 1103515245 + 12345;
        unsigned u = (s >> 4) % 70000;
        char key[40];
        snprintf(key, 40, "user-%u@example.org", u);
        unsigned h = u * 2654435761u >> 20;
        struct S *p = b[h];
        while (p && strcmp(p->user, key)) p = p->next;
        if (!p) {
            p = malloc(sizeof *p);
            p->user = strdup(key);
            p->data = malloc(100 + u % 300);
            memset(p->data, 1, 100);
            p->hits = 0;
            p->next = b[h];
            b[h] = p;
        }
        p->hits++;
        char *o = malloc(500 + u % 200);
        memset(o, 1, 500);
        free(o);
        if (i % 200 == 0) usleep(1500);
    }
    return 0;
}
