// What every storm shares: its arguments, counters that children share, blocks that know their own contents, and the rest point
// between two rounds, at which the heap has to be sound and no larger than before.
//
// A storm is called with SEED SECONDS [one-cpu]. It works in rounds. At the end of each, every thread is joined, every child waited
// for and every block freed; rest() then looks at memory, mappings and threads. A line "beat" on standard output says that it is
// alive, one that starts with "did: " what it did. It ends with 0, with 77 where it cannot run, and with 1 and a line that says why.
#ifndef STORM_H
#define STORM_H

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "check.h"

// What one run may keep: resident bytes above the start, resident bytes above the end of the second round, live bytes and mappings
// above the start. A storm sets others before storm_begin() where it has a reason.
struct allowance {
    size_t start, growth, live, maps;
};
static struct allowance allowed = {24 * MIB, 12 * MIB, 4 * MIB, 300};

// In memory that children share.
struct counts {
    atomic_long forks, threads, signals, bytes, refused, other;
};
static struct counts *counts;
static const char *other_name;

static struct {
    uint64_t seed;
    double end;
    int rounds;
    size_t first_resident, second_resident, first_live;
    int first_maps, first_threads;
    int (*check)(void);
    int (*stats)(size_t *);
} storm;

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static inline int over(void) { return now() >= storm.end; }

// A line at once and without stdio, whose locks may be part of the storm.
static inline void say(const char *line) {
    size_t length = strlen(line);
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, line, length);
        if (n <= 0) return;
        line += n, length -= (size_t)n;
    }
}

// A sign of life, once a second at most: for loops of the main thread that go on for a while.
static inline void beat(void) {
    static double last;
    if (now() < last + 1) return;
    last = now();
    say("beat\n");
}

static inline uint64_t draw(uint64_t *state, uint64_t below) { return random_next(state) % below; }

// ---- Blocks: the first word is the size, and what the others hold follows from it.

enum { SMALLEST = 2 * sizeof(size_t) };

// Mostly small; of a hundred one up to 1 MiB.
static inline size_t any_size(uint64_t *state) {
    uint64_t kind = draw(state, 100);
    size_t most = kind < 70 ? KIB : kind < 92 ? 32 * KIB : kind < 99 ? 256 * KIB : MIB;
    return SMALLEST + draw(state, most);
}

static inline size_t step_of(size_t size) { return size < 512 ? sizeof(size_t) : size < 64 * KIB ? 256 : 16 * KIB; }

// Writes words of `block` from byte `from` on; the last bytes too.
static inline void stamp_from(void *block, size_t from, size_t size) {
    size_t step = step_of(size);
    *(size_t *)block = size;
    for (size_t at = step; at + sizeof(size_t) <= size; at += step)
        if (at >= from || from == 0) *(size_t *)((char *)block + at) = size ^ (at * 0x9e3779b97f4a7c15u);
    ((unsigned char *)block)[size - 1] = (unsigned char)(size * 7 + 3);
}

static inline void *stamp(void *block, size_t size) {
    if (block) stamp_from(block, 0, size);
    return block;
}

static inline void verify(const void *block) {
    size_t size = *(const size_t *)block;
    size_t step = step_of(size);
    CHECK(size >= SMALLEST && size < 4 * GIB, "a block at %p was overwritten: it says it has %zu bytes", block, size);
    CHECK(((const unsigned char *)block)[size - 1] == (unsigned char)(size * 7 + 3), "the end of a block of %zu at %p was overwritten", size, block);
    for (size_t at = step; at + 2 * sizeof(size_t) <= size; at += step)
        CHECK(*(const size_t *)((const char *)block + at) == (size ^ (at * 0x9e3779b97f4a7c15u)), "byte %zu of a block of %zu at %p was overwritten", at, size, block);
}

static inline void must_be_zero(const char *block, size_t size) {
    size_t at = 0;
    for (; at + sizeof(size_t) <= size; at += sizeof(size_t))
        CHECK(*(const size_t *)(block + at) == 0, "calloc(%zu): byte %zu is not zero", size, at);
    CHECK(first_dirty(block + at, size - at) == size - at, "calloc(%zu): the last bytes are not zero", size);
}

// A block by one of the functions that give one. NULL only where memory is refused.
static inline void *obtain(uint64_t *state, size_t size) {
    void *block;
    atomic_fetch_add_explicit(&counts->bytes, (long)size, memory_order_relaxed);
    switch (draw(state, 8)) {
    case 0:
        block = calloc(1, size);
        if (block) must_be_zero(block, size);
        break;
    case 1: {
        size_t alignment = (size_t)16 << draw(state, 9);
        if (posix_memalign(&block, alignment, size) != 0) errno = ENOMEM, block = NULL;
        CHECK(aligned(block, alignment), "posix_memalign(%zu, %zu) gives %p", alignment, size, block);
        break;
    }
    default: block = malloc(size);
    }
    return stamp(block, size);
}

static inline void *must_obtain(uint64_t *state, size_t size) {
    void *block = obtain(state, size);
    CHECK(block != NULL, "an allocation of %zu is NULL with errno %d", size, errno);
    return block;
}

static inline void give_back(void *block) {
    if (!block) return;
    verify(block);
    free(block);
}

// To another size, at the same place or not. NULL: refused, and the old block is as it was.
static inline void *resize(void *block, size_t size) {
    size_t before = *(size_t *)block;
    verify(block);
    void *moved = realloc(block, size);
    if (!moved) {
        int error = errno;
        verify(block);
        errno = error;
        return NULL;
    }
    size_t kept = before < size ? before : size, step = step_of(before);
    CHECK(*(size_t *)moved == before, "realloc of %zu to %zu lost the first bytes", before, size);
    for (size_t at = step; at + 2 * sizeof(size_t) <= kept; at += step)
        CHECK(*(size_t *)((char *)moved + at) == (before ^ (at * 0x9e3779b97f4a7c15u)), "realloc of %zu to %zu lost byte %zu", before, size, at);
    atomic_fetch_add_explicit(&counts->bytes, (long)size, memory_order_relaxed);
    return stamp(moved, size);
}

// ---- A thread's own blocks, and slots through which threads hand blocks to each other.

enum { OWN = 96, SHARED = 256 };

struct own {
    uint64_t state;
    void *blocks[OWN];
};

static _Atomic(void *) shared_blocks[SHARED];

static inline void one_step(struct own *own) {
    void **slot = &own->blocks[draw(&own->state, OWN)];
    switch (draw(&own->state, 4)) {
    case 0:
        if (*slot) {
            *slot = resize(*slot, any_size(&own->state));
            CHECK(*slot != NULL, "realloc is NULL with errno %d", errno);
            break;
        }
        // fallthrough
    case 1:
        // What another thread allocated comes in, what this one did goes out.
        *slot = atomic_exchange(&shared_blocks[draw(&own->state, SHARED)], *slot);
        if (*slot) verify(*slot);
        break;
    default:
        give_back(*slot);
        *slot = must_obtain(&own->state, any_size(&own->state));
    }
}

static inline void free_own(struct own *own) {
    for (int i = 0; i < OWN; i++) give_back(own->blocks[i]), own->blocks[i] = NULL;
}

static inline void free_shared(void) {
    for (int i = 0; i < SHARED; i++) give_back(atomic_exchange(&shared_blocks[i], NULL));
}

// Blocks of its own only: for children, in which the shared slots may be torn between two moments of the parent's threads.
static inline void work_alone(uint64_t *state, int steps) {
    void *blocks[32] = {0};
    for (int i = 0; i < steps; i++) {
        void **slot = &blocks[draw(state, 32)];
        give_back(*slot);
        *slot = must_obtain(state, any_size(state));
    }
    for (int i = 0; i < 32; i++) give_back(blocks[i]);
}

static inline void *thread_works_alone(void *argument) {
    uint64_t state = (uintptr_t)argument;
    work_alone(&state, 100);
    return NULL;
}

// ---- Threads and children.

__attribute__((unused)) static atomic_int stop;

static inline void start(pthread_t *thread, void *(*body)(void *), uint64_t argument) {
    int error = pthread_create(thread, NULL, body, (void *)(uintptr_t)argument);
    CHECK(error == 0, "pthread_create fails with error %d", error);
    atomic_fetch_add_explicit(&counts->threads, 1, memory_order_relaxed);
}

static inline void join(pthread_t thread) {
    int error = pthread_join(thread, NULL);
    CHECK(error == 0, "pthread_join fails with error %d", error);
}

// fork() whose child does not outlive the thread that made it.
static inline pid_t fork_child(void) {
    pid_t child = fork();
    CHECK(child >= 0, "fork fails with errno %d", errno);
    if (child == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    else
        atomic_fetch_add_explicit(&counts->forks, 1, memory_order_relaxed);
    return child;
}

static inline int status_of(pid_t child) {
    int status;
    pid_t ended;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    CHECK(ended == child, "waitpid fails with errno %d", errno);
    return status;
}

static inline void must_succeed(pid_t child, const char *what) {
    int status = status_of(child);
    CHECK(!WIFSIGNALED(status), "%s ends by signal %d", what, WTERMSIG(status));
    CHECK(WEXITSTATUS(status) == 0, "%s ends with status %d", what, WEXITSTATUS(status));
}

// ---- Rest points.

static inline int lines_of(const char *path) {
    char text[4096];
    int lines = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0, "%s cannot be opened: errno %d", path, errno);
    for (ssize_t n; (n = read(fd, text, sizeof text)) > 0;)
        for (ssize_t i = 0; i < n; i++) lines += text[i] == '\n';
    close(fd);
    return lines;
}

static inline int threads_now(void) {
    char text[2048];
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    CHECK(fd >= 0, "/proc/self/status cannot be opened: errno %d", errno);
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *line = strstr(text, "\nThreads:");
    return line ? atoi(line + 9) : -1;
}

static inline size_t live_bytes(void) {
    size_t figures[6] = {0};
    if (storm.stats) CHECK(storm.stats(figures) == 0, "heapwright_stats fails");
    return figures[0];
}

static inline void check_heap(void) {
    if (storm.check) CHECK(storm.check() == 0, "heapwright_check finds a broken heap");
}

static inline void storm_begin(int count, char **arguments) {
    CHECK(count >= 3, "usage: %s SEED SECONDS [one-cpu]", arguments[0]);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A fault is to leave a line, and no file.
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(counts != MAP_FAILED, "mmap fails with errno %d", errno);
    storm.seed = strtoull(arguments[1], NULL, 0);
    storm.end = now() + atof(arguments[2]);
    cpu_set_t set;
    if (count > 3 && strcmp(arguments[3], "one-cpu") == 0 && sched_getaffinity(0, sizeof set, &set) == 0) {
        int cpu = 0;
        while (!CPU_ISSET(cpu, &set)) cpu++;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    storm.check = (int (*)(void))dlsym(RTLD_DEFAULT, "heapwright_check");
    storm.stats = (int (*)(size_t *))dlsym(RTLD_DEFAULT, "heapwright_stats");
    if (!storm.stats) {
        // What heapwright promises is not what others promise.
        allowed.start *= 10, allowed.growth *= 20, allowed.maps *= 2;
    }
    free(hide(malloc(1)));
    malloc_trim(0);
    storm.first_resident = resident();
    storm.first_live = live_bytes();
    storm.first_maps = lines_of("/proc/self/maps");
    storm.first_threads = threads_now();
}

// The end of a round. Everything the round made must be gone; what is left is compared with the start and with the second round.
static inline void rest(void) {
    beat();
    storm.rounds++;
    // A joined thread may still be on its way out of the kernel; the allocator's own begins when it likes.
    const char *settings = getenv("HEAPWRIGHT");
    int most = storm.first_threads + (settings && strstr(settings, "background") ? 1 : 0);
    for (int tries = 0; threads_now() > most && tries < 5000; tries++) usleep(1000);
    int threads = threads_now();
    CHECK(threads <= most, "round %d leaves %d threads, there were %d", storm.rounds, threads, storm.first_threads);
    check_heap();
    malloc_trim(0);
    size_t size = resident(), live = live_bytes();
    int maps = lines_of("/proc/self/maps");
    if (storm.rounds == 2) storm.second_resident = size;
    CHECK(size <= storm.first_resident + allowed.start, "round %d leaves %zu KiB resident with everything freed, %zu KiB at the start", storm.rounds,
          size / KIB, storm.first_resident / KIB);
    CHECK(storm.rounds < 3 || size <= storm.second_resident + allowed.growth, "memory grows: %zu KiB resident after round %d, %zu KiB after round 2",
          size / KIB, storm.rounds, storm.second_resident / KIB);
    CHECK(live <= storm.first_live + allowed.live, "round %d leaves %zu KiB that heapwright_stats calls live, %zu KiB at the start", storm.rounds,
          live / KIB, storm.first_live / KIB);
    CHECK(maps <= storm.first_maps + (int)allowed.maps, "round %d leaves %d mappings, there were %d", storm.rounds, maps, storm.first_maps);
}

// The last words. Returns what main returns.
static inline int storm_end(void) {
    char line[400];
    snprintf(line, sizeof line, "did: rounds %d, forks %ld, threads %ld, signals %ld, MiB %ld", storm.rounds, (long)counts->forks,
             (long)counts->threads, (long)counts->signals, (long)(counts->bytes / (long)MIB));
    say(line);
    if (counts->refused) snprintf(line, sizeof line, ", refusals %ld", (long)counts->refused), say(line);
    if (other_name) snprintf(line, sizeof line, ", %s %ld", other_name, (long)counts->other), say(line);
    size_t size = resident();
    snprintf(line, sizeof line, "; resident %zu of %zu KiB, mappings %d of %d\n", size / KIB, storm.first_resident / KIB, lines_of("/proc/self/maps"),
             storm.first_maps);
    say(line);
    munmap(counts, sizeof *counts);
    return 0;
}

#endif
