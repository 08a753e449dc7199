/* Runs a program one instruction at a time between its breakpoints and writes down where it went:
 * `step LIB|- PROGRAM [ARGS]`, LIB being its LD_PRELOAD.
 *
 * On standard output, for each stretch between two `int3`: a line `stretch`, then one line per executed
 * instruction, `FILE OFFSET`: the mapped file's path and the instruction's offset in that file, from
 * which a disassembly can be looked up. Exact, and it needs neither counters nor an emulator. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

struct Map { uint64_t start, end, offset; char path[512]; };
static struct Map maps[1024];
static size_t map_count;

static void die(const char *what) {
    fprintf(stderr, "step: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void read_maps(pid_t pid) {
    char path[64], line[1024], permissions[8];
    snprintf(path, sizeof path, "/proc/%d/maps", pid);
    FILE *f = fopen(path, "r");
    if (!f) die(path);
    for (map_count = 0; map_count < 1024 && fgets(line, sizeof line, f);) {
        struct Map *m = &maps[map_count];
        m->path[0] = 0;
        if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511s", &m->start, &m->end, permissions, &m->offset, m->path) >= 4
            && permissions[2] == 'x')
            map_count++;
    }
    fclose(f);
}

static void report(pid_t pid, uint64_t at) {
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < map_count; i++)
            if (at >= maps[i].start && at < maps[i].end) {
                printf("%s %lx\n", maps[i].path[0] ? maps[i].path : "-", at - maps[i].start + maps[i].offset);
                return;
            }
        read_maps(pid);
    }
    printf("- %lx\n", at);
}

static int wait_stop(pid_t pid) {
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) die("waitpid");
    if (WIFEXITED(status)) exit(WEXITSTATUS(status));
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "step: the program died of signal %d\n", WTERMSIG(status));
        exit(128 + WTERMSIG(status));
    }
    return WSTOPSIG(status);
}

static uint64_t rip(pid_t pid) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, pid, NULL, &registers)) die("PTRACE_GETREGS");
    return registers.rip;
}

/* Whether the instruction at `at` is the one-byte breakpoint. */
static int is_mark(pid_t pid, uint64_t at) {
    errno = 0;
    long word = ptrace(PTRACE_PEEKTEXT, pid, (void *)at, NULL);
    if (errno) die("PTRACE_PEEKTEXT");
    return (word & 0xff) == 0xcc;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: step LIB|- PROGRAM [ARGS]\n");
        return 2;
    }
    pid_t pid = fork();
    if (pid < 0) die("fork");
    if (pid == 0) {
        if (strcmp(argv[1], "-")) setenv("LD_PRELOAD", argv[1], 1);
        setenv("LD_BIND_NOW", "1", 1);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) die("PTRACE_TRACEME");
        execv(argv[2], argv + 2);
        die(argv[2]);
    }
    wait_stop(pid); /* the exec */
    int signal = 0, stepping = 0;
    for (;;) {
        if (ptrace(stepping ? PTRACE_SINGLESTEP : PTRACE_CONT, pid, NULL, (void *)(long)signal)) die("ptrace");
        int stop = wait_stop(pid);
        signal = stop == SIGTRAP ? 0 : stop;
        if (stop != SIGTRAP) continue;
        if (!stepping) { /* just past the first mark of a stretch */
            read_maps(pid);
            puts("stretch");
            stepping = 1;
        }
        uint64_t at = rip(pid);
        if (is_mark(pid, at)) { /* runs into the second mark, which ends the stretch */
            stepping = 0;
            if (ptrace(PTRACE_CONT, pid, NULL, NULL)) die("PTRACE_CONT");
            if (wait_stop(pid) != SIGTRAP) die("expected a breakpoint");
        } else {
            report(pid, at);
        }
    }
}
