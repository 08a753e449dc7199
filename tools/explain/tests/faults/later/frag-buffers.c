// fragmentation: an import reads buffers of 8 to 60 KiB, and puts an index entry of 100 bytes behind each; the
// buffers go, the entries stay

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    static char *b[4000], *e[4000];
    unsigned s = 5;
    for (int i = 0; i < 3000; i++) {
        s = s * 1103515245 + 12345;
        size_t n = 8000 + (s >> 8) % 52000;
        b[i] = malloc(n);
        memset(b[i], 1, n);
        e[i] = malloc(100);
        memset(e[i], 1, 100);
        if (i % 20 == 0) usleep(1000);
    }
    for (int i = 0; i < 3000; i++) free(b[i]);
    for (int i = 0; i < 1500; i++) {
        char *x = malloc(70000);
        memset(x, 1, 70000);
        free(x);
        x = malloc(64);
        x[0] = 1;
        free(x);
        usleep(1500);
    }
    return e[5][5] == 1 ? 0 : 1;
}
