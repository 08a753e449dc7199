/* Runs one command and says what it used: `run -o FILE [-p LIB] [-e K=V]… [-t SECONDS] [-w SOCKET]
 * [-q] [-i FILE] -- CMD…  [-- DRIVER…]`
 *
 * The kernel starts a child's peak resident size at that of the process which forked it, so a large
 * parent makes every child look large. This program is small and forks after its own exec: what wait4
 * then says of CMD (children that CMD waited for included) is CMD's own.
 *
 *   -o FILE    where the figures go, as lines of `key value`
 *   -p LIB     LD_PRELOAD for CMD alone
 *   -e K=V     one more variable for CMD alone (also -e K= to empty it)
 *   -t SECONDS kills CMD's process group after so long (default 120)
 *   -i FILE    CMD's standard input (default /dev/null)
 *   -q         CMD's standard output is thrown away
 *   -w SOCKET  CMD is a server: waits until the unix socket accepts, runs DRIVER, then ends CMD by SIGTERM */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t timed_out;
static pid_t child, driver;

static void on_alarm(int signal) {
    (void)signal;
    timed_out = 1;
    if (child > 0) kill(-child, SIGKILL);
    if (driver > 0) kill(-driver, SIGKILL);
}

static void die(const char *what) {
    fprintf(stderr, "run: %s: %s\n", what, strerror(errno));
    exit(125);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Starts `command` in a process group of its own, so that its own children can be ended with it. */
static pid_t start(char **command, const char *input, int quiet, const char *preload, char **set, int sets) {
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid > 0) {
        setpgid(pid, pid);
        return pid;
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int in = open(input, O_RDONLY);
    if (in < 0 || dup2(in, 0) < 0) die(input);
    close(in);
    if (quiet) {
        int out = open("/dev/null", O_WRONLY);
        if (out < 0 || dup2(out, 1) < 0) die("/dev/null");
        close(out);
    }
    for (int i = 0; i < sets; i++) putenv(set[i]);
    if (preload && setenv("LD_PRELOAD", preload, 1)) die("setenv");
    execvp(command[0], command);
    die(command[0]);
    return -1;
}

/* Whether the server accepts on `path`; tries until it does, the server ends or the alarm rings. */
static int accepts(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    if (strlen(path) >= sizeof address.sun_path) return 0;
    strcpy(address.sun_path, path);
    while (!timed_out) {
        int s = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int ok = s >= 0 && connect(s, (struct sockaddr *)&address, sizeof address) == 0;
        if (s >= 0) close(s);
        if (ok) return 1;
        siginfo_t ended = { .si_pid = 0 };
        if (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid) return 0;
        usleep(5000);
    }
    return 0;
}

static long micros(struct timeval t) { return t.tv_sec * 1000000L + t.tv_usec; }

int main(int argc, char **argv) {
    const char *output = NULL, *preload = NULL, *input = "/dev/null", *server = NULL;
    char *set[32];
    int sets = 0, quiet = 0, option;
    unsigned seconds = 120;
    while ((option = getopt(argc, argv, "+o:p:e:t:i:w:q")) != -1) {
        switch (option) {
        case 'o': output = optarg; break;
        case 'p': preload = optarg; break;
        case 'e':
            if (sets == 32) { fprintf(stderr, "run: at most 32 -e\n"); return 2; }
            set[sets++] = optarg;
            break;
        case 't': seconds = (unsigned)atoi(optarg); break;
        case 'i': input = optarg; break;
        case 'w': server = optarg; break;
        case 'q': quiet = 1; break;
        default: return 2;
        }
    }
    char **command = argv + optind, **second = NULL;
    for (char **at = command; *at; at++)
        if (!strcmp(*at, "--")) { *at = NULL; second = at + 1; break; }
    if (!output || !*command || (server && (!second || !*second))) {
        fprintf(stderr, "usage: run -o FILE [-p LIB] [-e K=V] [-t SECONDS] [-i FILE] [-q] [-w SOCKET] -- CMD [-- DRIVER]\n");
        return 2;
    }
    struct sigaction action = { .sa_handler = on_alarm };
    sigaction(SIGALRM, &action, NULL);

    double begin = now();
    child = start(command, input, quiet, preload, set, sets);
    alarm(seconds);
    int failed_driver = 0;
    if (server) {
        int status = 1;
        if (accepts(server)) {
            driver = start(second, "/dev/null", 1, NULL, NULL, 0);
            while (waitpid(driver, &status, 0) < 0 && errno == EINTR) {}
        }
        driver = 0;
        failed_driver = status != 0;
        kill(child, SIGTERM);
    }
    int status;
    struct rusage used;
    while (wait4(child, &status, 0, &used) < 0)
        if (errno != EINTR) die("wait4");
    double wall = now() - begin;
    alarm(0);

    FILE *out = fopen(output, "w");
    if (!out) die(output);
    fprintf(out, "wall_us %ld\nuser_us %ld\nsystem_us %ld\ncpu_us %ld\npeak_kib %ld\nminor_faults %ld\n",
            (long)(wall * 1e6), micros(used.ru_utime), micros(used.ru_stime),
            micros(used.ru_utime) + micros(used.ru_stime), used.ru_maxrss, used.ru_minflt);
    if (fclose(out)) die(output);
    if (timed_out) {
        fprintf(stderr, "run: %s took longer than %u s and was killed\n", command[0], seconds);
        return 124;
    }
    if (failed_driver) {
        fprintf(stderr, "run: the driver of %s failed\n", command[0]);
        return 123;
    }
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "run: %s died of signal %d\n", command[0], WTERMSIG(status));
        return 128 + WTERMSIG(status);
    }
    return WEXITSTATUS(status);
}
