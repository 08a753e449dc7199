// leak: an editor: pictures of 3 to 8 MB that were closed stay in memory, 14 of 40

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    unsigned s = 5;
    for (int i = 0; i < 40; i++) {
        s = s * 1103515245 + 12345;
        size_t n = 3000000 + (s >> 8) % 5000000;
        char *p = malloc(n);
        memset(p, 1, n);
        for (int k = 0; k < 200; k++) {
            char *x = malloc(60 + k * 3);
            x[0] = 1;
            free(x);
            if (k % 10 == 0) usleep(500);
        }
        if (i % 3 != 1) free(p);
        usleep(20000);
    }
    return 0;
}
