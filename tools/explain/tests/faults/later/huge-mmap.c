// huge-pages: each of 70 tenants gets 2 MiB-aligned slots of 2 MiB of its own mapping, advised, and uses 40 KB of it

#include <sys/mman.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <unistd.h>
int main(void) {
    size_t S = 2u << 20;
    char *m = mmap(0, 90 * S, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    m = (char *)(((uintptr_t)m + S - 1) & ~(S - 1));
    madvise(m, 88 * S, MADV_HUGEPAGE);
    for (int i = 0; i < 70; i++) {
        memset(m + i * S, 1, 40000);
        for (int k = 0; k < 300; k++) {
            char *x = malloc(50 + k);
            x[0] = 1;
            free(x);
        }
        usleep(20000);
    }
    return 0;
}
