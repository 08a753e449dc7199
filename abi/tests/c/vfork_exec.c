// survival: vfork and exec, posix_spawn, system and popen while other threads allocate
// also: glibc
#include <spawn.h>

#include "threads.h"

extern char **environ;

int main(void) {
    alarm(55);
    pthread_t threads[2];
    start_churning(threads, 2);
    for (int round = 0; round < 40; round++) {
        use_every_size();
        int status;
        pid_t child = vfork();
        if (child == 0) {
            execl("/bin/true", "true", NULL);
            _exit(9);
        }
        CHECK(waitpid(child, &status, 0) == child && status == 0, "vfork and exec of /bin/true: status %#x", status);
        char *arguments[] = {"true", NULL};
        CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0, "posix_spawn fails");
        CHECK(waitpid(child, &status, 0) == child && status == 0, "posix_spawn of /bin/true: status %#x", status);
    }
    for (int round = 0; round < 5; round++) {
        int status = system("exit 3");
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "system(\"exit 3\") returns %#x", status);
        FILE *pipe = popen("echo one two", "r");
        char line[100] = "";
        CHECK(pipe && fgets(line, sizeof line, pipe) && !strcmp(line, "one two\n"), "popen gives %s", line);
        CHECK(pclose(pipe) == 0, "pclose fails");
    }
    stop_and_join(threads, 2);
    return 0;
}
