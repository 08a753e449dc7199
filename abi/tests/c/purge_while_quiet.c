// design: what a program that swung keeps free goes back while it does little, even where it uses only what its threads keep
// long: only on the flagship
// timeout: 200
#include <time.h>

#include "check.h"

enum { LARGE = 4000, SMALL = 3000 };

int main(void) {
    alarm(190);
    // Swings by 400 MB, which raises how much is kept; then one block in a hundred stays.
    static char *large[LARGE];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < LARGE; i++) {
            CHECK((large[i] = malloc(100000)) != NULL, "malloc(100000) is NULL");
            memset(large[i], 1, 100000);
        }
        for (int i = 0; i < LARGE; i++) {
            if (round < 9 || i % 100) free(large[i]);
        }
    }
    // Small blocks: more than a magazine holds, of slabs that never become empty.
    static char *small[SMALL];
    for (int i = 0; i < SMALL; i++) CHECK((small[i] = malloc(64)) != NULL, "malloc(64) is NULL");
    size_t before = resident(), after = before;
    time_t end = time(NULL) + 120;
    do {
        for (int round = 0; round < 20; round++) {
            for (int i = 0; i < SMALL; i++)
                if (i % 50) free(small[i]);
            for (int i = 0; i < SMALL; i++)
                if (i % 50) small[i] = malloc(64);
        }
        usleep(10000);
        after = resident();
    } while (after > 60 * MIB && time(NULL) < end);
    CHECK(after <= 60 * MIB, "%zu MiB are resident two minutes later, %zu MiB before, 4 MiB are in use", after / MIB, before / MIB);
    return 0;
}
