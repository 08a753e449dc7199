// own-mappings: a pool of 120 MB that it maps and advises for huge pages, and uses all of

#include <sys/mman.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
    size_t n = 120u << 20;
    char *m = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(m, n, MADV_HUGEPAGE);
    for (size_t a = 0; a < n; a += 1 << 20) {
        memset(m + a, (int)(a >> 20) + 1, 1 << 20);
        for (int k = 0; k < 200; k++) {
            char *x = malloc(40 + k);
            x[0] = 1;
            free(x);
        }
        usleep(8000);
    }
    return 0;
}
