// Starts a program whose kernel refuses: refuse ERRNO CALL... -- PROGRAM ARGUMENT...
//
// A filter makes the calls fail with the number ERRNO, in this process, the program and its children. The loader must get
// through, so of the calls it needs itself only those are refused that an allocator makes: see `rules`. `all` is all of them.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct sock_filter code[120];
static unsigned short length;

static void add(unsigned short operation, unsigned value, unsigned char yes, unsigned char no) {
    code[length++] = (struct sock_filter){operation, yes, no, value};
}

// Goes on if the low half of `argument` is `value`, else behind the `left` instructions that follow.
static void require(int argument, unsigned value, unsigned char left) {
    add(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offsetof(struct seccomp_data, args) + 8 * (size_t)argument), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, left);
}

// The call `number`, if `argument` is -1 or the low half of that argument is `value`; if `bare`, only where nothing of it may be
// read, which is the third argument of mmap.
static void refuse(int number, int argument, unsigned value, int bare, unsigned error) {
    unsigned char left = (unsigned char)(1 + (argument >= 0 ? 2 : 0) + (bare ? 2 : 0));
    add(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr), 0, 0);
    add(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, left);
    if (argument >= 0) require(argument, value, bare ? 3 : 1);
    if (bare) require(2, PROT_NONE, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error, 0, 0);
}

static const struct {
    const char *name;
    int number, argument;
    unsigned value;
} rules[] = {
    {"madvise", SYS_madvise, -1, 0},
    {"mremap", SYS_mremap, -1, 0},
    // MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP: moving the pages of large blocks.
    {"move", SYS_mremap, 3, 7},
    {"munmap", SYS_munmap, -1, 0},
    {"prctl", SYS_prctl, -1, 0},
    {"clock_gettime", SYS_clock_gettime, -1, 0},
    {"sysinfo", SYS_sysinfo, -1, 0},
    {"prlimit64", SYS_prlimit64, -1, 0},
    // Replacing a mapping with an empty one; the loader asks for MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED alone.
    {"renew", SYS_mmap, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE},
    // Reserving addresses: the heap lives in a window then.
    {"reserve", SYS_mmap, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE},
    {"process_vm_readv", SYS_process_vm_readv, -1, 0},
    {"rseq", SYS_rseq, -1, 0},
    {"membarrier", SYS_membarrier, -1, 0},
    {"getrandom", SYS_getrandom, -1, 0},
    {"nanosleep", SYS_nanosleep, -1, 0},
    // Never getpid: a program that does kill(getpid(), SIGTERM) would do kill(-1, SIGTERM), to every process there is.
    // The C library's loader and threads need the rest: refused_memory.c refuses mmap, mprotect and mremap, refused_calls_few.c
    // openat and refused_futex.c futex, after the start.
};

int main(int count, char **arguments) {
    int at = 2, keeps_stacks = 0;
    if (count < 4) return 2;
    unsigned error = (unsigned)atoi(arguments[1]);
    for (; at < count && strcmp(arguments[at], "--") != 0; at++) {
        int known = 0;
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
            if (strcmp(arguments[at], "all") == 0 || strcmp(arguments[at], rules[i].name) == 0) {
                int bare = strcmp(rules[i].name, "reserve") == 0;
                refuse(rules[i].number, rules[i].argument, rules[i].value, bare, error);
                known = 1;
                keeps_stacks |= rules[i].number == SYS_munmap;
            }
        if (!known) return fprintf(stderr, "refuse: %s is no call that it knows\n", arguments[at]), 2;
    }
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog program = {length, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        puts("this machine has no seccomp filters");
        return 77;
    }
    // Only the program gets the library: this one was started without.
    if (getenv("REFUSE_PRELOAD")) setenv("LD_PRELOAD", getenv("REFUSE_PRELOAD"), 1);
    // glibc aborts when it cannot unmap a stack that it does not keep: let it keep 4 GiB of them.
    if (keeps_stacks) setenv("GLIBC_TUNABLES", "glibc.pthread.stack_cache_size=4294967296", 1);
    execvp(arguments[at + 1], arguments + at + 1);
    perror(arguments[at + 1]);
    return 127;
}
