// none: a ring of the last 20,000 log lines, full after a fifth of the run

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    static char *ring[20000];
    unsigned s = 1;
    for (int i = 0; i < 100000; i++) {
        s = s * 1103515245 + 12345;
        size_t n = 60 + (s >> 9) % 400;
        char *l = malloc(n);
        memset(l, 1, n);
        free(ring[i % 20000]);
        ring[i % 20000] = l;
        char *t = malloc(100);
        t[0] = 1;
        free(t);
        if (i % 100 == 0) usleep(2000);
    }
    return 0;
}
