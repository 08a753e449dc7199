// design: what was kept for 2,000 threads that have ended goes back while the program does little, and needs no malloc_trim
// timeout: 100
#include <time.h>

#include "waves.h"

enum { MOST = 40, SMALL = 3000 };

int main(void) {
    alarm(90);
    wave();
    // Small blocks, more than a thread keeps: the program comes to its allocator now and then.
    static char *small[SMALL];
    size_t before = resident() - before_waves, after = before;
    time_t end = time(NULL) + 60;
    do {
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < SMALL; i++) CHECK((small[i] = malloc(2000)) != NULL, "malloc(2000) is NULL");
            for (int i = 0; i < SMALL; i++) free(small[i]);
        }
        usleep(10000);
        after = resident() - before_waves;
    } while (after > MOST * MIB && time(NULL) < end);
    CHECK(after <= MOST * MIB, "%zu MiB are left of %d threads a minute later, %zu when they ended", after / MIB, THREADS, before / MIB);
    return 0;
}
