// A parent and children by fork, by a bare system call, and by vfork and exec; each frees what it inherited.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *kept[100];

static void as_child(int size) {
    for (int i = 0; i < 100; i++) free(kept[i]);
    for (int i = 0; i < 1000; i++) free(malloc(size));
}

static int good(pid_t child) {
    int status;
    return waitpid(child, &status, 0) == child && status == 0;
}

int main(int count, char **arguments) {
    if (count > 1) {
        for (int i = 0; i < 5000; i++) free(malloc(7777));
        return 0;
    }
    for (int i = 0; i < 100; i++) kept[i] = malloc(333);
    pid_t child = fork();
    if (child == 0) { as_child(1111); exit(0); }
    if (!good(child)) return 1;
    child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) { as_child(2222); _exit(0); }
    if (!good(child)) return 2;
    child = vfork();
    if (child == 0) { execl("/proc/self/exe", arguments[0], "again", NULL); _exit(9); }
    if (!good(child)) return 3;
    for (int i = 0; i < 100; i++) free(kept[i]);
    for (int i = 0; i < 300; i++) free(malloc(4444));
    char *again[] = {arguments[0], "again", NULL};
    execv("/proc/self/exe", again);
    return 4;
}
