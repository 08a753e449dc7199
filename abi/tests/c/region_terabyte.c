// survival: a machine of 256 GiB (pretended) and a terabyte of addresses in use: every block is found again, wherever it lies
// long: only on the flagship
// timeout: 120
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>

#include "machine.h"
#include "threads.h"

#if !defined(__x86_64__)
int main(void) { SKIP("the registers of a stopped program are read as x86-64's"); }
#else

enum { SMALL = 20000 };

// Blocks of 31 MiB that are never touched, and small ones in the holes between them.
static int use_a_terabyte(void) {
    static char *large[40000], *small[SMALL];
    size_t count = 0;
    while (count * 31 * MIB < 1000 * GIB) {
        large[count] = malloc(31 * MIB);
        CHECK(large[count] != NULL, "malloc is NULL after %zu GiB of addresses", count * 31 * MIB / GIB);
        count++;
    }
    for (int i = 0; i < SMALL; i++) {
        CHECK((small[i] = malloc(2000)) != NULL, "malloc(2000) is NULL beside a terabyte of addresses");
        fill(small[i], 2000, (unsigned)i);
    }
    for (size_t i = 0; i < count; i += 100) large[i][0] = large[i][31 * MIB - 1] = (char)i;
    use_every_size();
    for (int i = 0; i < SMALL; i++) {
        CHECK(first_difference(small[i], 2000, (unsigned)i) == 2000, "block %d was overwritten", i);
        free(small[i]);
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(i % 100 || (large[i][0] == (char)i && large[i][31 * MIB - 1] == (char)i), "large block %zu was overwritten", i);
        free(large[i]);
    }
    use_every_size();
    return 0;
}

// Lets `child` believe that the machine has `bytes` of memory: its first sysinfo says so.
static int pretend(pid_t child, unsigned long bytes) {
    int status, entering = 0, answered = 0, signal = 0;
    waitpid(child, &status, 0);
    ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
    for (;;) {
        ptrace(answered ? PTRACE_CONT : PTRACE_SYSCALL, child, NULL, signal);
        signal = 0;
        if (waitpid(child, &status, 0) < 0 || WIFEXITED(status) || WIFSIGNALED(status)) break;
        if (WSTOPSIG(status) == (SIGTRAP | 0x80)) {
            struct user_regs_struct registers;
            ptrace(PTRACE_GETREGS, child, NULL, &registers);
            entering = !entering;
            if (!entering && registers.orig_rax == SYS_sysinfo) {
                // struct sysinfo: totalram at byte 32, mem_unit at 104.
                ptrace(PTRACE_POKEDATA, child, registers.rdi + 32, bytes);
                ptrace(PTRACE_POKEDATA, child, registers.rdi + 104, 1L);
                answered = 1;
            }
        } else if (WSTOPSIG(status) != SIGTRAP) {
            signal = WSTOPSIG(status);
        }
    }
    CHECK(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == SKIPPED), "the program ends with status %#x", status);
    return WEXITSTATUS(status);
}

int main(int count, char **arguments) {
    if (count > 1) return use_a_terabyte();
    alarm(115);
    // Two huge pages of each block that is touched, and the maps of a terabyte.
    if (available() < 3 * GIB) SKIP("%zu MiB are free, and 1,600 are needed", available() / MIB);
    if (promises_little()) SKIP("the kernel promises no terabyte here");
    pid_t child = fork();
    CHECK(child >= 0, "fork fails");
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) SKIP("this machine allows no ptrace");
        raise(SIGSTOP);
        execl("/proc/self/exe", arguments[0], "again", NULL);
        CHECK(0, "execl fails with errno %d", errno);
    }
    return pretend(child, 256 * GIB);
}
#endif
