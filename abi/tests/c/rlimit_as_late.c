// survival: RLIMIT_AS set by a program whose malloc is in use already, by each of the ways there are: mappings, threads and malloc share what is left
//   (glibc refuses a block of 100 MiB once its heaps of threads are in the way)
// long: only on the flagship
// timeout: 200
#include <sys/mman.h>
#include <sys/syscall.h>

#include "limited.h"

static void by_setrlimit(struct rlimit *limit) { CHECK(setrlimit(RLIMIT_AS, limit) == 0, "setrlimit fails"); }
static void by_prlimit(struct rlimit *limit) {
    struct rlimit old;
    CHECK(prlimit(getpid(), RLIMIT_AS, limit, &old) == 0 && old.rlim_cur > limit->rlim_cur, "prlimit fails or returns a wrong old limit");
}

// Past the C library: seen when a large block is refused.
static void by_system_call(struct rlimit *limit) {
    CHECK(syscall(SYS_prlimit64, 0, RLIMIT_AS, limit, NULL) == 0, "the system call fails");
    CHECK(malloc(2 * GIB) == NULL && errno == ENOMEM, "2 GiB are not refused: errno %d", errno);
}

static void limited_by(void (*set)(struct rlimit *)) {
    void *before = malloc(100), *large = malloc(70 * MIB);
    free(malloc(40 * MIB));
    struct rlimit limit = {400 * MIB, 400 * MIB};
    set(&limit);
    free(large);
    struct rlimit read;
    CHECK(getrlimit(RLIMIT_AS, &read) == 0 && read.rlim_cur == limit.rlim_cur, "the limit is not what was set");
    void *mapping = mmap(NULL, 60 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapping != MAP_FAILED, "under a limit set late the program cannot map 60 MiB: errno %d", errno);
    munmap(mapping, 60 * MIB);
    live_under(200 * MIB, 400 * MIB, 1);
    // Raised again, soft limit only: no harm.
    limit.rlim_cur = 300 * MIB;
    set(&limit);
    live_under(100 * MIB, 300 * MIB, 1);
    limit.rlim_cur = 400 * MIB;
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "the soft limit cannot be raised to the hard one");
    live_under(200 * MIB, 400 * MIB, 1);
    struct rlimit wrong = {500 * MIB, 300 * MIB};
    CHECK(setrlimit(RLIMIT_AS, &wrong) == -1 && errno == EINVAL, "a soft limit above the hard one is not EINVAL");
    CHECK(prlimit(getpid(), 99, NULL, &wrong) == -1 && errno == EINVAL, "a resource that does not exist is not EINVAL");
    free(before);
}

int main(void) {
    alarm(190);
    void (*const ways[])(struct rlimit *) = {by_setrlimit, by_prlimit, by_system_call};
    for (int way = 0; way < 3; way++) {
        pid_t child = fork();
        if (child == 0) {
            limited_by(ways[way]);
            exit(0);
        }
        int status = end_of(child);
        CHECK(status == 0, "way %d ends with status %#x", way, status);
    }
    return 0;
}
