// huge-pages: 24 aligned blocks of 4 KiB, each in 2 MiB that the program wants as one huge page.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char *blocks[24];
    for (int i = 0; i < 24; i++) {
        // The block is small, but what lies behind it is the program's wish too.
        blocks[i] = aligned_alloc(2 << 20, 2 << 20);
        madvise(blocks[i], 2 << 20, MADV_HUGEPAGE);
        blocks[i][0] = 1;
        for (int j = 0; j < 2000; j++) free(malloc(100));
        usleep(10000);
    }
    for (int i = 0; i < 24; i++) free(blocks[i]);
    return 0;
}
