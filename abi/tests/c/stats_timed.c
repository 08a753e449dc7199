// heapwright: HEAPWRIGHT=stats=1s:/PATH never harms the program, and the file is renewed while it can be: over fork, exec and vfork; in
//    a process that closes every descriptor, changes its folder, its root or its user, or may not write files
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "check.h"

static char folder[] = "/tmp/heapwright-timed-XXXXXX";

// What needs more than a thread's cache: after a second one of them writes the file.
static void work(void) {
    static char *all[2000];
    for (int i = 0; i < 2000; i++) all[i] = memset(hide(malloc(1000)), 1, 100);
    for (int i = 0; i < 2000; i++) free(all[i]);
}

static struct timespec written(pid_t process) {
    char path[100];
    struct stat about;
    snprintf(path, sizeof path, "%s/%d", folder, (int)process);
    return stat(path, &about) == 0 ? about.st_mtim : (struct timespec){0, 0};
}

// Works until the file of this process was written once more; 0: it never was.
static int is_renewed(void) {
    struct timespec before = written(getpid());
    for (int i = 0; i < 1500; i++) {
        work();
        struct timespec now = written(getpid());
        if (now.tv_sec != before.tv_sec || now.tv_nsec != before.tv_nsec) return now.tv_sec != 0;
        usleep(10000);
    }
    return 0;
}

static void works_for_two_seconds(void) {
    time_t begin = time(NULL);
    while (time(NULL) - begin < 2) work(), usleep(10000);
}

// One process of its own, by the name of what it does. `exec` has given it the setting.
static int lives(const char *what) {
    work();
    if (!strcmp(what, "forks")) {
        pid_t child = fork();
        if (child == 0) _exit(is_renewed() ? 0 : 1);
        int status;
        CHECK(is_renewed(), "the parent's file");
        CHECK(waitpid(child, &status, 0) == child && status == 0, "the child's file");
        CHECK(written(child).tv_sec != 0, "the child's file has gone");
    } else if (!strcmp(what, "execs")) {
        execl("/proc/self/exe", "again", "plain", folder, NULL);
        _exit(9);
    } else if (!strcmp(what, "vforks")) {
        pid_t child = vfork();
        if (child == 0) execl("/proc/self/exe", "again", "plain", folder, NULL), _exit(9);
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0, "the child's file");
        CHECK(is_renewed(), "the parent's file");
    } else if (!strcmp(what, "closes")) {
        for (int fd = 0; fd < 1024; fd++) close(fd);
        if (!is_renewed()) _exit(2);
    } else if (!strcmp(what, "moves")) {
        CHECK(chdir("/") == 0 && is_renewed(), "in another folder");
    } else if (!strcmp(what, "short")) {
        // A longer file than the limit would end it by SIGXFSZ.
        struct rlimit none = {0, 0};
        CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0, "no limit can be set");
        works_for_two_seconds();
    } else if (!strcmp(what, "roots")) {
        if (chroot("/proc") == 0) works_for_two_seconds();
    } else if (!strcmp(what, "users")) {
        if (setgroups(0, NULL) == 0 && setgid(65534) == 0 && setuid(65534) == 0) works_for_two_seconds();
    } else if (!strcmp(what, "refused")) {
        works_for_two_seconds();
    } else {
        CHECK(is_renewed(), "%s: the file", what);
    }
    return 0;
}

struct run {
    const char *what, *path, *why;
    int from;
    pid_t child;
};

// Runs this program as what it says, with the file at its path.
static void start(struct run *run) {
    int ends[2];
    CHECK(pipe2(ends, O_CLOEXEC) == 0, "no pipe");
    run->child = fork();
    if (run->child == 0) {
        char setting[200];
        snprintf(setting, sizeof setting, "stats=1s:%s", run->path);
        setenv("HEAPWRIGHT", setting, 1);
        dup2(ends[1], 2);
        execl("/proc/self/exe", "lives", run->what, folder, NULL);
        _exit(9);
    }
    close(ends[1]);
    run->from = ends[0];
}

// It ends well, and has said why there is no file, in one line.
static void finish(struct run *run) {
    char said[4 * KIB];
    size_t held = 0;
    for (ssize_t got; (got = read(run->from, said + held, sizeof said - 1 - held)) > 0;) held += (size_t)got;
    said[held] = 0;
    int status;
    CHECK(waitpid(run->child, &status, 0) == run->child && status == 0, "%s: status %#x, and it said %s", run->what, status, said);
    const char *end = strchr(said, '\n');
    if (run->why) CHECK(strstr(said, run->why) && end && !end[1], "%s: it says %s", run->path, said);
    else CHECK(!*said, "%s: it says %s", run->what, said);
}

int main(int count, char **words) {
    if (count == 3) {
        strcpy(folder, words[2]);
        return lives(words[1]);
    }
    CHECK(mkdtemp(folder) != NULL, "no folder");
    char path[100], limit[100];
    snprintf(path, sizeof path, "%s/%%p", folder);
    snprintf(limit, sizeof limit, "%s/limit/%%p", folder);
    struct run runs[] = {
        {.what = "plain", .path = path}, {.what = "forks", .path = path}, {.what = "execs", .path = path},
        {.what = "vforks", .path = path}, {.what = "closes", .path = path}, {.what = "moves", .path = path},
        {.what = "roots", .path = path}, {.what = "users", .path = path}, {.what = "short", .path = path},
        {.what = "refused", .path = folder, .why = "no regular file"},
        {.what = "refused", .path = "/dev/full", .why = "no regular file"},
        {.what = "refused", .path = "/proc/x", .why = "cannot be written"},
        {.what = "refused", .path = limit, .why = "does not exist"},
    };
    enum { RUNS = sizeof runs / sizeof *runs };
    for (int i = 0; i < RUNS; i++) start(&runs[i]);
    for (int i = 0; i < RUNS; i++) finish(&runs[i]);
    // Under the limit from its beginning, nothing can be written, which is said.
    struct rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0, "no limit can be set");
    struct run limited = {.what = "refused", .path = path, .why = "ulimit -f"};
    start(&limited);
    finish(&limited);
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    // The shell may be on another C library than this program and its malloc.
    unsetenv("LD_PRELOAD");
    CHECK(system(command) == 0, "something is left in %s", folder);
    return 0;
}
