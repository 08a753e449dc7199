// none: a converter: arenas of 256 KiB for each of some documents, freed with the document; all is well

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    for (int d = 0; d < 120; d++) {
        void *a[12];
        int n = 3 + d % 10;
        for (int i = 0; i < n; i++) {
            a[i] = malloc(256 << 10);
            memset(a[i], 1, 256 << 10);
            for (int k = 0; k < 30; k++) {
                char *x = malloc(30 + k);
                x[0] = 1;
                free(x);
            }
        }
        usleep(12000);
        for (int i = 0; i < n; i++) free(a[i]);
    }
    return 0;
}
