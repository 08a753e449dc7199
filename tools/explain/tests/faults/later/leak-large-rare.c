// leak: a service: every 40th request takes an error path that forgets its buffer of 200 to 400 KB

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    unsigned s = 7;
    char *pool[64] = {0};
    for (int i = 0; i < 6000; i++) {
        s = s * 1103515245 + 12345;
        size_t n = 200000 + (s >> 8) % 200000;
        char *b = malloc(n);
        memset(b, 1, n > 60000 ? 60000 : n);
        for (int k = 0; k < 20; k++) {
            char *h = malloc(40 + k * 7);
            h[0] = 1;
            free(h);
        }
        int j = (s >> 20) % 64;
        free(pool[j]);
        pool[j] = malloc(900);
        pool[j][0] = 2;
        if (i % 40 != 7) free(b);
        else memset(b, 2, n);
        if (i % 4 == 0) usleep(300);
    }
    return 0;
}
