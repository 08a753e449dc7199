// retention: 45 MB of free memory are kept between bursts: glibc's thresholds rose with the large picture
// that was freed; MALLOC_TRIM_THRESHOLD_/MALLOC_MMAP_THRESHOLD_ fix them, or malloc_trim.

/* A thumbnail service: it decodes a picture (8 to 30 MB), scales it, and frees it. In a burst three pictures are decoded at once by rows
 * and tiles. Between bursts it is idle, and that is nearly always.
 * FAULT (retention): freeing a large picture raised glibc's dynamic thresholds (to twice its size), so up to 64 MB stay at the top. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long seed = 21;
static unsigned rnd(unsigned n) { seed = seed * 6364136223846793005ul + 1442695040888963407ul; return (unsigned)(seed >> 33) % n; }

static unsigned decode(int at_once) {
    unsigned char *picture[4], sum = 0;
    char *exif[4][20];
    for (int i = 0; i < at_once; i++) {
        size_t n = 8000000 + rnd(10000000);
        picture[i] = malloc(n);
        memset(picture[i], i, n);
        for (int k = 0; k < 20; k++) { exif[i][k] = malloc(20 + rnd(200)); strcpy(exif[i][k], "Make: a camera"); }
        unsigned char *thumb = malloc(128 * 128 * 3);
        for (int k = 0; k < 128 * 128 * 3; k++) thumb[k] = picture[i][(k * 151ul) % n];
        sum += thumb[rnd(1000)];
        free(thumb);
    }
    for (int i = 0; i < at_once; i++) { for (int k = 0; k < 20; k++) free(exif[i][k]); free(picture[i]); }
    return sum;
}

int main(void) {
    unsigned char *large = malloc(31000000);     /* the first one of the day, from a good camera */
    memset(large, 1, 31000000);
    free(large);
    unsigned sum = 0;
    for (int burst = 0; burst < 5; burst++) {
        for (int i = 0; i < 6; i++) sum += decode(3);
        for (int i = 0; i < 60; i++) { char *health = malloc(100 + rnd(100)); health[0] = 1; sum += health[0]; free(health); usleep(15000); }
    }
    fprintf(stderr, "%u\n", sum);
    return 0;
}
