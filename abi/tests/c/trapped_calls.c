// survival: system calls that a filter traps into a handler of the program, as sandboxes do, come to it also where malloc keeps
//   signals away: after fork, where it takes over what other threads kept, and in a thread of its own
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=background=1
#include "refused.h"
#include "threads.h"

static void give_back(int rounds) {
    enum { BLOCKS = 300 };
    static char *blocks[BLOCKS];
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < BLOCKS; i++) {
            CHECK((blocks[i] = malloc(40000 + (size_t)i * 100)) != NULL, "malloc is NULL");
            memset(blocks[i], 1, 40000);
        }
        for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
    }
}

int main(void) {
    static const int calls[] = {SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk};
    pthread_t threads[3];
    watch_calls(calls, sizeof calls / sizeof *calls, 0);
    start_churning(threads, 3);
    for (int i = 0; i < trials(40); i++) {
        give_back(2);
        usleep(3000);
        pid_t child = fork();
        if (child == 0) _exit(0);
        int status = -1;
        CHECK(waitpid(child, &status, 0) == child && status == 0, "child %d ends with status %#x", i, status);
    }
    give_back(3);
    // As long as a thread of malloc's own waits before it gives back.
    sleep(1);
    // The threads do not end before: glibc gives their stacks back with signals blocked, which ends the process.
    return 0;
}
