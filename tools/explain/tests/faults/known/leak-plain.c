// leak: each round of work loses one block, and is otherwise in order.
#include <stdlib.h>
#include <string.h>

int main(void) {
    for (int round = 0; round < 200000; round++) {
        char *work[20];
        for (int i = 0; i < 20; i++) {
            work[i] = malloc(40 + i * 24);
            memset(work[i], round, 40 + i * 24);
        }
        char *lost = malloc(72);
        memset(lost, 1, 72);
        for (int i = 0; i < 20; i++) free(work[i]);
    }
    return 0;
}
