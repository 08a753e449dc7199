// survival: a filter that kills for any system call but those glibc's malloc makes: every kind of request goes on
// long: only on the flagship
// also: glibc
#include "filter.h"

static const int allowed[] = {
    SYS_read, SYS_write, SYS_exit_group, SYS_rt_sigreturn, SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_mprotect, SYS_futex,
};

static void confine(int raw) {
    if (filter_calls(allowed, sizeof allowed / sizeof *allowed, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS, raw)) _exit(SKIPPED);
}

// Ours takes what it needs when it is told; glibc asks for random bytes at the first request.
extern const char *heapwright_version(void) __attribute__((weak));

enum { COUNT = 2000 };
static char *blocks[COUNT];

static void blocks_of(size_t size, size_t step, int count) {
    for (int i = 0; i < count; i++) {
        blocks[i] = malloc(size + step * (size_t)i);
        CHECK(blocks[i] != NULL, "malloc(%zu) is NULL", size + step * (size_t)i);
        memset(blocks[i], 1, size);
    }
    for (int i = 0; i < count; i++) free(blocks[i]);
}

static void small(void) { blocks_of(100, 1, COUNT); }

static void medium(void) {
    for (int round = 0; round < 5; round++) blocks_of(40000, 0, COUNT);
}

static void large(void) {
    for (int round = 0; round < 20; round++) blocks_of(MIB, 0, 30);
}

static void growing(void) {
    char *block = malloc(1000);
    for (size_t size = 1000; size < 100 * MIB; size = size * 3 / 2) {
        block = realloc(block, size);
        CHECK(block != NULL, "realloc(%zu) is NULL", size);
        memset(block, 1, size);
    }
    free(block);
}

static void huge(void) {
    char *block = malloc(40 * MIB);
    CHECK(block != NULL, "malloc(40 MiB) is NULL");
    memset(block, 1, 40 * MIB);
    block = realloc(block, 80 * MIB);
    CHECK(block != NULL && block[40 * MIB - 1] == 1, "realloc(80 MiB) is NULL or loses contents");
    free(block);
}

// Blocks of which one in 20 is kept: memory goes back in pieces, by whatever call is best where nobody is confined.
static void scattered(void) {
    enum { MANY = 200000 };
    static char *kept[MANY];
    for (int i = 0; i < MANY; i++) {
        kept[i] = malloc(500);
        CHECK(kept[i] != NULL, "malloc(500) is NULL");
        memset(kept[i], 1, 500);
    }
    for (int i = 0; i < MANY; i++)
        if (i % 20) free(kept[i]);
    for (int i = 0; i < MANY; i += 20) CHECK(kept[i][499] == 1, "block %d loses contents", i);
}

static int confined(void (*work)(void), int raw) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        confine(raw);
        work();
        _exit(0);
    }
    return confined_end(child);
}

int main(void) {
    alarm(55);
    char name[16];
    CHECK(prctl(PR_SET_NAME, "confined") == 0 && prctl(PR_GET_NAME, name) == 0 && strcmp(name, "confined") == 0, "prctl does not pass a name on");
    errno = 0;
    CHECK(prctl(-1, 0, 0, 0, 0) == -1 && errno == EINVAL, "prctl(-1) does not fail with EINVAL, but %d", errno);
    if (heapwright_version) CHECK(confined(small, 0) == 0, "the first request, confined, ends the process");
    free(hide(malloc(100)));
    static void (*const works[])(void) = {small, medium, large, growing, huge};
    for (int i = 0; i < 5; i++) {
        int status = confined(works[i], 0);
        CHECK(status == 0, "work %d ends with status %#x", i, status);
    }
    // Nobody is told, but the limit has been looked at, as the heap is large.
    blocks_of(MIB, 0, 30);
    large();
    CHECK(confined(scattered, 0) == 0, "what a process that was free to ask anything gives back, confined, ends it");
    for (int i = 0; i < 5; i++) {
        int status = confined(works[i], 1);
        CHECK(status == 0, "work %d behind raw calls ends with status %#x", i, status);
    }
    return 0;
}
