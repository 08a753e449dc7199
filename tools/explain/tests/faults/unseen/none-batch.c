// none: reads all its lines, counts words for a while, and frees everything.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES 200000
static char *lines[LINES];

int main(void) {
    for (int i = 0; i < LINES; i++) {
        size_t size = 40 + i * 37 % 160;
        lines[i] = malloc(size);
        memset(lines[i], 'a' + i % 26, size);
    }
    long words = 0;
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < LINES; i++) words += lines[i][round % 40] == 'e';
        char *report = malloc(3000);
        memset(report, 1, 3000);
        free(report);
        usleep(3000);
    }
    for (int i = 0; i < LINES; i++) free(lines[i]);
    return words == 0;
}
