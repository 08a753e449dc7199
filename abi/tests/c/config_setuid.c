// docs: a set-uid program ignores HEAPWRIGHT
// link: heapwright
// run: alone
// env: HEAPWRIGHT=no_such_key=1
#include <sys/auxv.h>
#include <sys/stat.h>

#include "check.h"

// A copy of this program that belongs to another user and is set-uid.
static void copy_set_uid(const char *path) {
    static char bytes[1 << 16];
    int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_EXCL, 0755);
    CHECK(from >= 0 && to >= 0, "the program cannot be copied to %s", path);
    for (ssize_t n; (n = read(from, bytes, sizeof bytes)) > 0;) CHECK(write(to, bytes, (size_t)n) == n, "write fails");
    if (fchown(to, 65534, 65534) != 0 || fchmod(to, 04755) != 0) {
        unlink(path);
        SKIP("only root can make a set-uid program of another user");
    }
    close(from), close(to);
}

int main(int count, char **arguments) {
    if (count > 1) {
        if (!getauxval(AT_SECURE)) _exit(SKIPPED);
        free(malloc(100));
        return 0;
    }
    (void)arguments;
    char path[100];
    snprintf(path, sizeof path, "/tmp/heapwright-setuid-%d", (int)getpid());
    copy_set_uid(path);
    FILE *errors = tmpfile();
    CHECK(errors != NULL, "tmpfile fails");
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(errors), 2);
        execl(path, path, "again", NULL);
        _exit(SKIPPED);
    }
    int status = end_of(child);
    unlink(path);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) SKIP("set-uid programs do not run from /tmp on this machine");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) SKIP("another user cannot read the library");
    CHECK(status == 0, "the set-uid program ends with status %#x", status);
    char line[200] = "";
    rewind(errors);
    CHECK(!fgets(line, sizeof line, errors), "the set-uid program reads HEAPWRIGHT: %s", line);
    return 0;
}
