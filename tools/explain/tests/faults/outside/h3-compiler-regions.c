// huge-pages: The program's own mappings of 2 MB, advised for huge pages, are resident as a whole: 180 MB for
// 10 MB used. Do not advise, or use smaller regions.

/* A compile server: each unit gets a region (bump pointer) of 2 MB, mapped and advised for huge pages, since "arenas are hot". Most units
 * are small headers, that need 20 to 200 KB; their syntax trees stay for the next request. Identifiers are malloc's.
 * FAULT (huge pages): 100 regions that are touched to a twentieth are resident as a whole. */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define REGION (2ul << 20)
static unsigned long seed = 8;
static unsigned rnd(unsigned n) { seed = seed * 6364136223846793005ul + 1442695040888963407ul; return (unsigned)(seed >> 33) % n; }

static char *region(void) {
    char *p = mmap(0, 2 * REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *a = (char *)(((uintptr_t)p + REGION - 1) & ~(REGION - 1));
    if (a > p) munmap(p, a - p);
    munmap(a + REGION, p + REGION - a);
    madvise(a, REGION, MADV_HUGEPAGE);
    return a;
}

int main(void) {
    char *idents[20000];
    int n = 0;
    unsigned long used = 0;
    for (int unit = 0; unit < 90; unit++) {
        char *r = region(), *at = r;
        unsigned need = 20000 + rnd(180000);
        while (at < r + need) {
            unsigned size = 32 + rnd(6) * 16;
            memset(at, 1, size);
            at += size;
            if (rnd(12) == 0 && n < 20000) { idents[n] = malloc(6 + rnd(30)); strcpy(idents[n++], "ident"); }
            char *token = malloc(4 + rnd(40));
            token[0] = 't';
            free(token);
        }
        used += need;
        usleep(25000);
    }
    fprintf(stderr, "%lu bytes in regions\n", used);
    for (int i = 0; i < n; i++) free(idents[i]);
    return 0;
}
