// fragmentation: many sessions of 50 to 250 bytes; all but one in twenty end, and the program works on.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SESSIONS 200000
static char *sessions[SESSIONS];

int main(void) {
    for (int i = 0; i < SESSIONS; i++) {
        size_t size = 50 + i % 200;
        sessions[i] = malloc(size);
        memset(sessions[i], 1, size);
    }
    for (int i = 0; i < SESSIONS; i++)
        if (i % 20) free(sessions[i]), sessions[i] = NULL;
    for (int i = 0; i < 200; i++) {
        for (int j = 0; j < 200; j++) {
            char *work = malloc(64 + j);
            memset(work, 2, 64 + j);
            free(work);
        }
        usleep(1000);
    }
    for (int i = 0; i < SESSIONS; i++) free(sessions[i]);
    return 0;
}
