// retention: three times it sorts many keys, and rests between; what it needs all the time is a few buffers.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int main(void) {
    char *buffers[20];
    for (int i = 0; i < 20; i++) buffers[i] = malloc(10000), memset(buffers[i], 1, 10000);
    for (int peak = 0; peak < 3; peak++) {
        int keys = 200000;
        char **list = malloc(keys * sizeof *list);
        unsigned random = peak + 1;
        for (int i = 0; i < keys; i++) {
            list[i] = malloc(90);
            for (int j = 0; j < 89; j++) random = random * 1664525u + 1013904223u, list[i][j] = 'a' + (random >> 24) % 26;
            list[i][89] = 0;
        }
        char *stays = malloc(64);
        memset(stays, 1, 64);
        qsort(list, keys, sizeof *list, compare);
        for (int i = 0; i < keys; i++) free(list[i]);
        free(list);
        for (int i = 0; i < 250; i++) {
            int which = i % 20;
            free(buffers[which]);
            buffers[which] = malloc(10000);
            memset(buffers[which], 1, 10000);
            usleep(1000);
        }
    }
    return 0;
}
