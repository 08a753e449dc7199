// Long-lived blocks among short-lived ones, and a large one; then it says its number and waits until its input ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static void *all[200000], *large;
__attribute__((noinline)) void *nail(void) { return memset(malloc(64), 1, 64); }
__attribute__((noinline)) void *passing(void) { return memset(malloc(64), 1, 64); }
__attribute__((noinline)) void *hold(void) { return memset(malloc(8 << 20), 1, 8 << 20); }
int main(int argc, char **argv) {
    for (int i = 0; i < 200000; i++) all[i] = i % 20 ? passing() : nail();
    for (int i = 0; i < 200000; i++) if (i % 20) free(all[i]);
    if (argc > 2 && fork()) return wait(NULL) < 0;
    large = hold();
    FILE *file = fopen(argv[1], "w");
    fprintf(file, "%d\n", getpid());
    fclose(file);
    char byte;
    return read(0, &byte, 1) < 0;
}
