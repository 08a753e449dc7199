// Keeps as many MiB as its first argument says, drops as many, and frees what it kept if it has a second.
#include <stdlib.h>
#include <string.h>
static void *all[64];
__attribute__((noinline)) void *keep(int n) { return memset(malloc(n), 1, n); }
__attribute__((noinline)) void *drop(int n) { return memset(malloc(n), 1, n); }
int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 8;
    for (int i = 0; i < n; i++) { all[i] = keep(1 << 20); free(drop(1 << 20)); }
    if (argc > 2) for (int i = 0; i < n; i++) free(all[i]);
    return argc > 3 ? 7 : 0;
}
