// survival: 2,000 threads at once use 20 sizes each and end, four times: what was kept for them goes back by malloc_trim
// long: only on the flagship
#include <malloc.h>

#include "waves.h"

enum { MOST = 16 };  // 8 KiB for a thread; what one used takes 25 to 80

int main(void) {
    alarm(55);
    wave();
    for (int round = 0; round < 3; round++) wave();
    malloc_trim(0);
    size_t left = resident() - before_waves;
    CHECK(left <= MOST * MIB, "%zu MiB are left of %d threads after malloc_trim", left / MIB, THREADS);
    // What went back serves again.
    wave();
    return 0;
}
