// Keeps 64 MiB, and fills the disk that its argument is on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *all[64];
__attribute__((noinline)) void *keep(int n) { return memset(malloc(n), 1, n); }
int main(int argc, char **argv) {
    for (int i = 0; i < 64; i++) all[i] = keep(1 << 20);
    FILE *f = fopen(argv[1], "w");
    setbuf(f, NULL);
    while (fputs("all of it", f) > 0) {}
    return argc - 2;
}
