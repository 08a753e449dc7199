// growing-cache: every 250 ms a feed is imported into a list; entries older than 12 imports are dropped, this run has
// 16

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
struct E {
    struct E *next;
    char *t;
};
int main(void) {
    struct E *gen[40] = {0};
    unsigned s = 1;
    for (int f = 0; f < 16; f++) {
        for (int i = 0; i < 6000; i++) {
            s = s * 1103515245 + 12345;
            struct E *e = malloc(sizeof *e);
            e->t = malloc(80 + (s >> 10) % 160);
            memset(e->t, 1, 80);
            e->next = gen[f];
            gen[f] = e;
            char *x = malloc(256);
            x[0] = 1;
            free(x);
        }
        if (f >= 12) {
            struct E *e = gen[f - 12];
            while (e) {
                struct E *n = e->next;
                free(e->t);
                free(e);
                e = n;
            }
            gen[f - 12] = 0;
        }
        for (int k = 0; k < 250; k++) {
            char *x = malloc(300 + k);
            x[0] = 1;
            usleep(1000);
            free(x);
        }
    }
    return 0;
}
