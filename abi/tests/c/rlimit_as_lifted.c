// survival: RLIMIT_AS lowered and lifted again, by the program or by a child of vfork for itself: others' mappings do not take the heap's place
// also: glibc
#include <sys/mman.h>
#include <sys/resource.h>

#include "check.h"

// Reservations of 300 GiB in all, wherever the kernel finds room for them, then many small blocks.
static void map_and_allocate(void) {
    for (int i = 0; i < 3000; i++)
        CHECK(mmap(NULL, 100 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED, "mapping %d fails", i);
    void **list = NULL;
    for (int i = 0; i < 100000; i++) {
        void **block = malloc(1000);
        CHECK(block != NULL, "malloc(1000) is NULL after %d KiB, with no limit left", i);
        *block = list, list = block;
    }
    while (list) {
        void **next = *list;
        free(list);
        list = next;
    }
}

int main(void) {
    alarm(55);
    struct rlimit limit, lowered;
    CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit fails");
    lowered = limit, lowered.rlim_cur = 256 * MIB;
    for (int way = 0; way < 2; way++) {
        pid_t child = fork();
        if (child == 0) {
            free(malloc(100));
            if (way == 0) {
                CHECK(setrlimit(RLIMIT_AS, &lowered) == 0 && setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit fails");
            } else {
                pid_t shares = vfork();
                if (shares == 0) _exit(setrlimit(RLIMIT_AS, &lowered));
                ended_well(shares, "child of vfork");
            }
            map_and_allocate();
            _exit(0);
        }
        int status = end_of(child);
        CHECK(status == 0, "way %d ends with status %#x", way, status);
    }
    return 0;
}
