// leak: works well for a third, then a bad input comes again and again and each time a parse tree is lost, until the
// end

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct N {
    struct N *a, *b;
    char t[48];
};
static struct N *tree(int d) {
    struct N *n = malloc(sizeof *n);
    memset(n, 0, sizeof *n);
    if (d) {
        n->a = tree(d - 1);
        n->b = tree(d - 1);
    }
    return n;
}
static void del(struct N *n) {
    if (n) {
        del(n->a);
        del(n->b);
        free(n);
    }
}
int main(void) {
    for (int i = 0; i < 9000; i++) {
        struct N *n = tree(5);
        char *o = malloc(3000);
        memset(o, 1, 3000);
        free(o);
        if (i < 3000 || i % 6) del(n);
        if (i % 5 == 0) usleep(500);
    }
    return 0;
}
