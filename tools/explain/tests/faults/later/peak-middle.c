// retention: a nightly report in the middle of its life: 60 MB of rows, freed in order; the last block at the top
// lives on

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    static char *r[400000];
    char *hold;
    for (int i = 0; i < 600; i++) {
        char *x = malloc(500 + i);
        x[0] = 1;
        free(x);
        usleep(1000);
    }
    for (int i = 0; i < 350000; i++) {
        r[i] = malloc(100 + i % 140);
        memset(r[i], 1, 100);
    }
    hold = malloc(50);
    hold[0] = 1;
    for (int i = 0; i < 350000; i++) free(r[i]);
    for (int i = 0; i < 1800; i++) {
        char *x = malloc(500 + i);
        x[0] = 1;
        free(x);
        usleep(1000);
    }
    return hold[0] - 1;
}
