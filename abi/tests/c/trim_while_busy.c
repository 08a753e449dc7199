// survival: malloc_trim again and again while other threads allocate, verify and free: no block in use loses a byte
// also: glibc
// again: HEAPWRIGHT=keep=0,check=1
#include <malloc.h>

#include "threads.h"

enum { SPARSE = 60000, SIZE = 120 };

int main(void) {
    alarm(55);
    // One small block in ten of many pages, so that most pages have holes and some are free but for nothing.
    static char *blocks[SPARSE];
    for (int i = 0; i < SPARSE; i++) CHECK((blocks[i] = malloc(SIZE)) && memset(blocks[i], i, SIZE), "malloc(%d) is NULL", SIZE);
    for (int i = 0; i < SPARSE; i++)
        if (i % 10 || i / 1000 % 2) free(blocks[i]), blocks[i] = NULL;
    pthread_t threads[3];
    start_churning(threads, 3);
    for (double end = seconds_now() + trials(2.5); seconds_now() < end;) {
        malloc_trim(0);
        for (int i = 0; i < SPARSE; i += 50) {
            char *zero = calloc(1, SIZE);
            CHECK(zero && first_dirty(zero, SIZE) == SIZE, "calloc(%d) is NULL or not zero", SIZE);
            memset(zero, 1, SIZE);
            if (blocks[i]) CHECK(blocks[i][0] == (char)i && blocks[i][SIZE - 1] == (char)i, "a block in use was purged");
            free(blocks[i]);
            blocks[i] = memset(zero, i, SIZE);
        }
        usleep(1000);
    }
    stop_and_join(threads, 3);
    for (int i = 0; i < SPARSE; i++) {
        if (blocks[i]) CHECK(blocks[i][0] == (char)i && blocks[i][SIZE - 1] == (char)i, "a block in use was purged");
        free(blocks[i]);
    }
    return 0;
}
