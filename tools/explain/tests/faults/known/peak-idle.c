// retention: loads 40 MiB of lines, frees them all, and goes on with little.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 400000

int main(void) {
    char **lines = malloc(LINES * sizeof *lines);
    for (int i = 0; i < LINES; i++) {
        lines[i] = malloc(100);
        memset(lines[i], 1, 100);
    }
    char *last = malloc(100);
    memset(last, 1, 100);
    for (int i = 0; i < LINES; i++) free(lines[i]);
    free(lines);
    for (int i = 0; i < 300; i++) {
        for (int j = 0; j < 100; j++) {
            char *small = malloc(200);
            memset(small, 2, 200);
            free(small);
        }
        usleep(1000);
    }
    free(last);
    return 0;
}
