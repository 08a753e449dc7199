// heapwright: the file of HEAPWRIGHT=stats=/PATH is there however a process ends: by exit, by a signal that nobody can catch,
//    by _exit, as a forked child
#include <fcntl.h>
#include <signal.h>

#include "check.h"

static char folder[] = "/tmp/heapwright-stats-XXXXXX";

// Whether the file of `process` has `part` in it.
static int has(pid_t process, const char *part) {
    char path[100];
    static char text[20000];
    snprintf(path, sizeof path, "%s/%d", folder, (int)process);
    int file = open(path, O_RDONLY);
    CHECK(file >= 0, "%s: no file", path);
    ssize_t len = read(file, text, sizeof text - 1);
    CHECK(len > 2 && text[0] == '{' && text[len - 2] == '}', "%s is not whole", path);
    close(file);
    unlink(path);
    text[len] = 0;
    return strstr(text, part) != NULL;
}

static void fill_all(void) {
    for (int i = 0; i < 20000; i++) memset(hide(malloc(1000)), 1, 1000);
}

int main(int count, char **words) {
    if (count > 1) {
        strcpy(folder, getenv("FOLDER"));
        fill_all();
        if (words[1][0] == 'k') kill(getpid(), SIGKILL);
        if (words[1][0] == '_') _exit(0);
        pid_t child = fork();
        if (child == 0) {
            fill_all();
            raise(SIGTERM);
        }
        CHECK(waitpid(child, NULL, 0) == child && has(child, "\"ended\":false"), "the child's");
        return 0;
    }
    CHECK(mkdtemp(folder) != NULL, "no folder");
    char setting[100];
    snprintf(setting, sizeof setting, "stats=%s/%%p", folder);
    const char *ways[] = {"exit", "kill", "_exit"};
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        CHECK(child >= 0, "no fork");
        if (child == 0) {
            setenv("HEAPWRIGHT", setting, 1);
            // The child of the child looks for its file too.
            setenv("FOLDER", folder, 1);
            execl("/proc/self/exe", words[0], ways[i], NULL);
            _exit(1);
        }
        int status = end_of(child);
        CHECK(i == 1 ? WIFSIGNALED(status) : status == 0, "%s: status %d", ways[i], status);
        CHECK(has(child, i == 0 ? "\"ended\":true" : "\"ended\":false"), "%s: how it ended", ways[i]);
    }
    CHECK(rmdir(folder) == 0, "something is left in %s", folder);
    return 0;
}
