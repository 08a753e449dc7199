// C23 7.28.5.5, POSIX.1-2024 pthread_exit: main may end by pthread_exit; the process goes on with its other threads, which fork and
//   ask for figures, and ends with the last
// also: glibc
// again: HEAPWRIGHT=check=1
#include <malloc.h>

#include "forking.h"

static pthread_t main_thread;
static void *kept[100];

static void *go_on(void *argument) {
    CHECK(pthread_join(main_thread, NULL) == 0, "main cannot be joined");
    for (int i = 0; i < 100; i++) {
        CHECK(first_difference(kept[i], 1000, (unsigned)i) == 1000, "a block of main's was overwritten");
        free(kept[i]);
    }
    struct mallinfo2 info = mallinfo2();
    CHECK(info.uordblks < 100 * MIB, "%zu bytes in use", info.uordblks);
    for (int round = 0; round < 20; round++) fork_and_use("child");
    use_every_size();
    return argument;
}

int main(void) {
    alarm(50);
    for (int i = 0; i < 100; i++) fill(kept[i] = malloc(1000), 1000, (unsigned)i);
    use_every_size();
    main_thread = pthread_self();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, go_on, NULL) == 0, "pthread_create fails");
    pthread_exit(NULL);
}
