// huge-pages: a table of 64 MiB that wants huge pages, of which every few megabytes some bytes are used.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    char *table;
    size_t size = 64 << 20;
    if (posix_memalign((void **)&table, 2 << 20, size)) return 1;
    madvise(table, size, MADV_HUGEPAGE);
    for (size_t at = 0; at < size; at += 2 << 20) {
        table[at + 12345] = 1;
        for (int i = 0; i < 500; i++) {
            char *small = malloc(64 + i);
            memset(small, 1, 64);
            free(small);
        }
        usleep(8000);
    }
    free(table);
    return 0;
}
