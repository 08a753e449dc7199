// fragmentation: batches of blocks of many sizes; of each batch one in forty lives on for some batches more.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCH 50000
#define KEPT 8
static char *batch[BATCH], *kept[KEPT][BATCH / 40 + 1];

int main(void) {
    unsigned random = 7;
    for (int round = 0; round < 24; round++) {
        // The batches shrink, as the evening comes.
        int blocks = BATCH - round * 1500;
        for (int i = 0; i < blocks; i++) {
            random = random * 1664525u + 1013904223u;
            size_t size = 32 + (random >> 16) % (100 + round % 5 * 150);
            batch[i] = malloc(size);
            memset(batch[i], 1, size);
        }
        char **old = kept[round % KEPT];
        for (int i = 0; i <= BATCH / 40; i++) free(old[i]), old[i] = NULL;
        for (int i = 0; i < blocks; i++) {
            if (i % 40 == round) old[i / 40] = batch[i];
            else free(batch[i]);
        }
        usleep(20000);
    }
    return 0;
}
