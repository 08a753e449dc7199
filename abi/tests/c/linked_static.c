// survival: a static program linked to libheapwright.a allocates from it, with threads, fork and atexit
// link: static
// flags: -Wl,--fatal-warnings
#include <heapwright.h>

#include "threads.h"

static void late(void) { use_every_size(); }

int main(void) {
    alarm(55);
    atexit(late);
    struct heapwright_stats before, after;
    CHECK(heapwright_stats(&before) == 0, "heapwright_stats fails");
    char *text = strdup("allocated by the C library");
    char *block = malloc(100000);
    CHECK(text && block, "malloc is NULL");
    CHECK(heapwright_stats(&after) == 0, "heapwright_stats fails");
    CHECK(after.live_bytes >= before.live_bytes + 100000, "malloc(100000) is not heapwright's");
    free(text), free(block);
    use_every_size();
    pthread_t threads[2];
    start_churning(threads, 2);
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        if (child == 0) {
            use_every_size();
            exit(0);
        }
        ended_well(child, "child");
    }
    stop_and_join(threads, 2);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
