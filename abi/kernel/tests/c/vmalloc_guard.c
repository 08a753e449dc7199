// vmalloc: the page behind an area must not be touched
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int main(void) {
    volatile unsigned char *area = vmalloc(10000);
    CHECK(area != NULL);
    area[12287] = 1;
    pid_t child = fork();
    if (child == 0) {
        area[12288] = 1;
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    vfree((void *)(uintptr_t)area);
    return 0;
}
