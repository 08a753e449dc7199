// own-mappings: a static table of 64 MB that is filled slowly

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static char t[64 << 20];
int main(void) {
    for (size_t a = 0; a < sizeof t; a += 1 << 19) {
        memset(t + a, 1, 1 << 19);
        for (int k = 0; k < 200; k++) {
            char *x = malloc(40 + k);
            x[0] = 1;
            free(x);
        }
        usleep(12000);
    }
    return 0;
}
