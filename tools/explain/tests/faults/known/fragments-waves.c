// fragmentation: waves of short-lived blocks, of which each leaves some that live on, and take the place of older ones.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEPT 3000
#define WAVE 60000
static char *kept[KEPT], *wave[WAVE];

int main(void) {
    unsigned place = 0;
    for (int round = 0; round < 5; round++) {
        size_t size = 96 + 32 * (round % 6);
        for (int i = 0; i < WAVE; i++) {
            wave[i] = malloc(size);
            memset(wave[i], round, size);
            if (i % 60 == 0) {
                free(kept[place]);
                kept[place] = malloc(48);
                memset(kept[place], round, 48);
                place = (place + 1) % KEPT;
            }
        }
        for (int i = 0; i < WAVE; i++) free(wave[i]);
        for (int i = 0; i < 80; i++) {
            free(malloc(40));
            usleep(1000);
        }
    }
    return 0;
}
