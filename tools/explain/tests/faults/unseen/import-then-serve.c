// retention: an import needs 50 MiB in blocks of all sizes; what it leaves is small, and was allocated last.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROWS 150000
static char *rows[ROWS];

int main(void) {
    unsigned random = 3;
    for (int i = 0; i < ROWS; i++) {
        random = random * 1664525u + 1013904223u;
        size_t size = 20 + (random >> 16) % 700;
        rows[i] = malloc(size);
        memset(rows[i], 1, size);
    }
    char *summary[100];
    for (int i = 0; i < 100; i++) summary[i] = malloc(500), memset(summary[i], 1, 500);
    for (int i = ROWS - 1; i >= 0; i--) free(rows[i]);
    for (int request = 0; request < 500; request++) {
        char *reply = malloc(1000);
        memcpy(reply, summary[request % 100], 500);
        free(reply);
        usleep(1000);
    }
    for (int i = 0; i < 100; i++) free(summary[i]);
    return 0;
}
