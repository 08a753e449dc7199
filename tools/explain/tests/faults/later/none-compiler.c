// none: a compiler: tokens and trees come and go, the symbol table and the code stay until it exits, nothing is freed
// at the end

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct T {
    struct T *l, *r;
    char *s;
};
static struct T *t(int d) {
    struct T *n = malloc(sizeof *n);
    n->s = malloc(12 + d);
    n->s[0] = 1;
    n->l = n->r = 0;
    if (d) {
        n->l = t(d - 1);
        n->r = t(d - 1);
    }
    return n;
}
static void del(struct T *n) {
    if (n) {
        del(n->l);
        del(n->r);
        free(n->s);
        free(n);
    }
}
struct I {
    struct I *n;
    int op[6];
};
static struct I *code;
struct Y {
    struct Y *n;
    char name[40];
};
static struct Y *syms;
int main(void) {
    for (int f = 0; f < 2500; f++) {
        struct T *x = t(5);
        for (int i = 0; i < 60; i++) {
            struct I *c = malloc(sizeof *c);
            c->n = code;
            code = c;
        }
        struct Y *y = malloc(sizeof *y);
        y->n = syms;
        syms = y;
        del(x);
        if (f % 10 == 0) usleep(2000);
    }
    char *out = malloc(3000000);
    memset(out, 1, 3000000);
    return 0;
}
