// survival: free memory that the program has locked in part: the rest still goes back, with few calls that are refused
#include <malloc.h>
#include <sys/mman.h>

#include "refused.h"

enum { BLOCKS = 60, LOCKED = 12 };

int main(void) {
    alarm(50);
    static char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(2 * MIB)) != NULL, "malloc(2 MiB) is NULL");
        memset(blocks[i], 1, 2 * MIB);
        if (i % (BLOCKS / LOCKED) == 0 && mlock(blocks[i] + 4096, 4096) != 0) SKIP("this machine locks no memory");
    }
    const int numbers[] = {SYS_madvise};
    watch_calls(numbers, 1, 0);
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    give_back_in_vain(100 * MIB, 200000, 4000);
    malloc_trim(0);
    CHECK(resident() < 80 * MIB, "%zu MiB stay resident, of which %d are locked", resident() / MIB, 2 * LOCKED);
    return 0;
}
