// retention: 280 MB of 16 KiB tiles freed, glibc keeps them as the last block lies on top; malloc_trim gives all back

// An image pipeline: loads 280 MiB of 16 KiB tiles, filters, drops all; the histogram (allocated last) stays; then
// serves thumbnails for 3 s.
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>
int main(void) {
    int n = 17920;
    char **t = malloc(n * sizeof *t);
    for (int i = 0; i < n; i++) {
        t[i] = malloc(16384);
        memset(t[i], i, 16384);
    }
    long *hist = calloc(256, sizeof *hist);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16384; k += 64) hist[(unsigned char)t[i][k]]++;
    for (int i = 0; i < n; i++) free(t[i]);
    free(t);
    long s = 0;
    for (int k = 0; k < 300; k++) {
        char *th = malloc(9000);
        memset(th, k, 9000);
        s += th[8] + hist[k & 255];
        struct timespec ts = {0, 10000000};
        nanosleep(&ts, 0);
        free(th);
    }
    printf("%ld\n", s);
    return 0;
}
