// huge-pages: an own mapping of 384 MiB with MADV_HUGEPAGE, 1.5 MB touched, all resident

// A particle simulation with a sparse grid of its own: mmap of 384 MiB, madvise(MADV_HUGEPAGE) "for the TLB"; particles
// touch one page in each 1 MiB or so.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <stdint.h>
int main(void) {
    size_t n = 384u << 20;
    char *raw = mmap(0, n + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    char *g = (char *)(((uintptr_t)raw + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
    if (!getenv("NOTHP")) madvise(g, n, MADV_HUGEPAGE);
    uint64_t s = 5;
    long sum = 0;
    size_t touched = 0;
    double *part = malloc(8 * 100000);
    for (int i = 0; i < 100000; i++) part[i] = i;
    for (size_t o = 0; o + 4096 <= n; o += 1 << 20) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        size_t p = o + ((s >> 20) % 200) * 4096;
        memset(g + p, 1, 2000);
        touched += 4096;
        usleep(2000);
    }
    for (int st = 0; st < 100; st++) {
        for (int i = 0; i < 100000; i++) part[i] = part[i] * 0.999 + 1;
        double *tmp = malloc(4000);
        tmp[0] = part[st];
        sum += tmp[0];
        free(tmp);
        usleep(10000);
    }
    printf("%ld\n", sum);
    return 0;
}
