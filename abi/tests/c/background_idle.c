// docs: what a program that swung keeps free stays while it sleeps; with background=1 it goes back all the same
// link: heapwright
// again: HEAPWRIGHT=background=1
// timeout: 120
#include <time.h>

#include "check.h"

enum { COUNT = 4000 };

int main(void) {
    alarm(110);
    // Swings by 400 MB, which raises how much is kept; then one block in a hundred stays.
    static char *blocks[COUNT];
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < COUNT; i++) {
            CHECK((blocks[i] = malloc(100000)) != NULL, "malloc(100000) is NULL");
            memset(blocks[i], 1, 100000);
        }
        for (int i = 0; i < COUNT; i++) {
            if (round < 9 || i % 100) free(blocks[i]);
        }
    }
    size_t before = resident(), after = before;
    // What was not needed for four seconds went back at once, where ten swings take longer than that.
    if (before <= 100 * MIB) SKIP("the machine is so slow that only %zu MiB are kept", before / MIB);
    const char *settings = getenv("HEAPWRIGHT");
    if (settings == NULL) {
        sleep(3);
        after = resident();
        CHECK(after > before / 2, "of %zu MiB %zu are left, and nobody called: is that documented?", before / MIB, after / MIB);
        return 0;
    }
    // The floor that was raised sinks by half every four seconds.
    time_t end = time(NULL) + 60;
    while ((after = resident()) > 40 * MIB && time(NULL) < end) usleep(50000);
    CHECK(after <= 40 * MIB, "%zu MiB are resident after a minute, %zu MiB before, 4 MiB are in use", after / MIB, before / MIB);
    return 0;
}
