// none: works in rounds of the same kind, each of which frees what it took, with no pause between.
#include <stdlib.h>
#include <string.h>

int main(void) {
    for (int round = 0; round < 40; round++) {
        int blocks = 30000;
        char **list = malloc(blocks * sizeof *list);
        for (int i = 0; i < blocks; i++) {
            size_t size = 60 + (i + round) % 300;
            list[i] = malloc(size);
            memset(list[i], round, size);
        }
        long sum = 0;
        for (int pass = 0; pass < 30; pass++)
            for (int i = 0; i < blocks; i++) sum += list[i][pass];
        for (int i = 0; i < blocks; i++) free(list[i]);
        free(list);
        if (sum == 42) return 1;
    }
    return 0;
}
