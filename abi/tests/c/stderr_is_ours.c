// docs/tuning.md: what is said goes to standard error as the program was started with it, or to the log that it has put there; never
//   into a file of the program's own that got descriptor 2
#include "check.h"

static const char data[] = "my data\n";
enum { FILE_FLAGS = O_CREAT | O_TRUNC | O_RDWR, LOG_FLAGS = O_CREAT | O_WRONLY | O_APPEND };

// In the child: descriptor 2 becomes the file at `path`, by being the lowest that is free; then something is said.
static int speak(const char *path, int flags, const char *what) {
    close(2);
    int file = open(path, flags, 0600);
    CHECK(file == 2, "the file has descriptor %d", file);
    if (flags == FILE_FLAGS) CHECK(write(file, data, sizeof data - 1) == sizeof data - 1, "write fails");
    free(hide(malloc(100)));
    if (!strcmp(what, "abort")) free(hide((char *)&file));
    return 0;
}

static char said[64 * KIB];

static size_t read_all(int from) {
    size_t held = 0;
    for (ssize_t got; (got = read(from, said + held, sizeof said - 1 - held)) > 0;) held += (size_t)got;
    said[held] = 0;
    return held;
}

// Runs this program with `setting`, standard error closed or a pipe; what came by the pipe is in `said`.
static void run(const char *setting, int is_open, char *path, const char *kind, const char *what) {
    int ends[2], status;
    CHECK(pipe(ends) == 0, "no pipe");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("HEAPWRIGHT", setting, 1);
        close(2);
        if (is_open) dup2(ends[1], 2);
        close(ends[0]), close(ends[1]);
        execl("/proc/self/exe", path, path, kind, what, (char *)NULL);
        _exit(9);
    }
    close(ends[1]);
    read_all(ends[0]);
    close(ends[0]);
    CHECK(waitpid(child, &status, 0) == child, "the child is lost");
    int aborts = !strcmp(what, "abort");
    CHECK(aborts ? WIFSIGNALED(status) && WTERMSIG(status) == 6 : status == 0, "%s %s %s: status %#x", setting, kind, what, status);
}

int main(int count, char **arguments) {
    if (count == 4) return speak(arguments[1], strcmp(arguments[2], "log") ? FILE_FLAGS : LOG_FLAGS, arguments[3]);
    char path[] = "/tmp/heapwright-stderr-XXXXXX";
    int file = mkstemp(path);
    CHECK(file >= 0, "no file can be made");
    static const char *const settings[] = {"stats=1", "check=1", "no_such_key=1", "stats=1,safe=1"};
    for (int i = 0; i < 16; i++) {
        const char *setting = settings[i % 4], *what = i & 4 ? "abort" : "exit";
        int is_open = i & 8;
        run(setting, is_open, path, "file", what);
        size_t told = strlen(said);
        lseek(file, 0, SEEK_SET);
        size_t held = read_all(file);
        CHECK(held == sizeof data - 1 && !strcmp(said, data), "%s %s: the program's file has %zu bytes: %.200s", setting, what, held, said);
        // At its end the table still goes to where standard error was.
        if (is_open && i % 4 == 0 && !(i & 4)) CHECK(told > 8, "no table: %zu bytes", told);
    }
    CHECK(ftruncate(file, 0) == 0, "ftruncate fails");
    run("check=1", 1, path, "log", "abort");
    lseek(file, 0, SEEK_SET);
    read_all(file);
    CHECK(strstr(said, "heapwright: free()"), "the log has %s", said);
    unlink(path);
    return 0;
}
