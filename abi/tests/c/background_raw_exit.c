// docs: with background=1 a process whose only other thread ends by a bare system call ends too, with that call's status
// link: heapwright
// env: HEAPWRIGHT=background=1
#include <signal.h>
#include <sys/syscall.h>

#include "tasks.h"

int main(void) {
    pid_t child = fork();
    if (child == 0) {
        static void *blocks[3000];
        // In a child it begins after a thousand slow calls more.
        for (int i = 0; i < 3000; i++) CHECK((blocks[i] = malloc(100000)) != NULL, "malloc is NULL");
        wait_for_tasks(2, "the child");
        syscall(SYS_exit, 3);
    }
    int status;
    for (int tries = 0;; tries++) {
        pid_t ended = waitpid(child, &status, WNOHANG);
        CHECK(ended >= 0, "waitpid fails with errno %d", errno);
        if (ended == child) break;
        if (tries == 3000) kill(child, SIGKILL);
        CHECK(tries < 3000, "it does not end");
        usleep(10000);
    }
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "it ends with status %#x", status);
    return 0;
}
