// docs: with background=1 no thread begins once a process has announced that it will confine itself, in its children neither
// link: heapwright
// again: HEAPWRIGHT=background=1
#include "filter.h"

#ifndef SYS_clone3
#define SYS_clone3 435
#endif

enum { COUNT = 300, SIZE = 100000 };

int main(void) {
    static char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(blocks[i], 1, SIZE);
    }
    // The thread has begun by now. glibc makes threads by clone3 and processes by clone.
    usleep(200000);
    const int calls[] = {SYS_clone3};
    if (filter_calls(calls, 1, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW, 0)) return SKIPPED;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3000; i++) free(hide(malloc(SIZE)));
        _exit(0);
    }
    ended_well(child, "child");
    return 0;
}
