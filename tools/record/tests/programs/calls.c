// Every call of the family once, between marks.
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "../../../../abi/include/heapwright/mark.h"

int main(void) {
    void *a, *b, *c;
    errno = 77;
    heapwright_mark("malloc");
    a = malloc(24);
    heapwright_mark("free");
    free(a);
    free(NULL);
    heapwright_mark("calloc");
    a = calloc(3, 1000);
    heapwright_mark("realloc");
    a = realloc(a, 500000);
    b = realloc(NULL, 10);
    b = reallocarray(b, 2, 20);
    heapwright_mark("realloc to nothing");
    b = realloc(b, 0);
    heapwright_mark("aligned");
    b = memalign(64, 65);
    c = aligned_alloc(128, 256);
    if (errno != 77) return 1;
    free(b);
    free(c);
    if (posix_memalign(&b, 4096, 5000)) return 2;
    free(b);
    heapwright_mark("size");
    if (malloc_usable_size(a) < 500000) return 3;
    heapwright_mark("refused");
    if (malloc(PTRDIFF_MAX) || errno != ENOMEM) return 4;
    heapwright_mark("touched");
    memset(a, 1, 40960);
    free(a);
    heapwright_mark("mapping");
    a = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(a, 1 << 20);
    heapwright_mark("the end");
    return 0;
}
