// fragmentation: every fourth buffer of 700 bytes is still in use; the larger ones that come later do not fit between.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL 60000
#define LARGE 3000
static char *small[SMALL], *large[LARGE];

int main(void) {
    for (int i = 0; i < SMALL; i++) small[i] = malloc(700), memset(small[i], 1, 700);
    for (int i = 0; i < SMALL; i++)
        if (i % 4) free(small[i]), small[i] = NULL;
    for (int i = 0; i < LARGE; i++) large[i] = malloc(5000), memset(large[i], 2, 5000);
    for (int round = 0; round < 400; round++) {
        int which = round * 7 % LARGE;
        free(large[which]);
        large[which] = malloc(5000);
        memset(large[which], 3, 5000);
        usleep(1000);
    }
    for (int i = 0; i < LARGE; i++) free(large[i]);
    for (int i = 0; i < SMALL; i++) free(small[i]);
    return 0;
}
