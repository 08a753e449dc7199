// survival: memory moves between threads: what one thread has freed, 300 MB in blocks of every kind, serves the next thread
//   (the TCMalloc text's program needed 600 MB); the second phase adds less than 5 %
#include <sys/resource.h>

#include "threads.h"

enum { TOTAL = 300000000 };

static void *blocks[2000000];
static size_t peak;

static void *phase(void *argument) {
    uint64_t state = (uintptr_t)argument;
    size_t bytes = 0, count = 0;
    while (bytes < TOTAL) {
        uint64_t random = random_next(&state);
        // Mostly small, some of several KiB, a few large.
        size_t size = random % 64 == 0 ? 40000 + random % 100000 : 16 + random % (random % 8 == 0 ? 8000 : 500);
        char *block = malloc(size);
        CHECK(block != NULL, "malloc(%zu) after %zu bytes", size, bytes);
        memset(block, 1, size);
        blocks[count++] = block;
        bytes += size;
    }
    size_t now = resident();
    if (now > peak) peak = now;
    while (count > 0) free(blocks[--count]);
    return NULL;
}

static size_t peak_of_phase(uintptr_t seed) {
    pthread_t thread;
    peak = 0;
    CHECK(pthread_create(&thread, NULL, phase, (void *)seed) == 0, "no thread");
    pthread_join(thread, NULL);
    return peak;
}

static int three_phases(void) {
    // The first thread stays, so that what it keeps is not given up at its end.
    peak = 0;
    phase((void *)7);
    size_t first = peak, bound = first + first / 20, second = peak_of_phase(7);
    CHECK(second < bound, "%zu MB in the first phase, %zu in the second", first / 1000000, second / 1000000);
    second = peak_of_phase(8);
    CHECK(second < bound, "%zu MB in the first phase, %zu in the third", first / 1000000, second / 1000000);
    return 0;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

// The phases in a process of its own. What goes back by the clock may come between where it has to wait for a processor, a
// quarter of the time and more: then it says nothing, and is made again.
int main(int count, char **arguments) {
    if (count > 1) return three_phases();
    for (int tries = 0; tries < 5; tries++) {
        double begun = seconds_now();
        pid_t child = fork();
        CHECK(child >= 0, "fork fails with errno %d", errno);
        if (child == 0) {
            execl("/proc/self/exe", arguments[0], "again", NULL);
            // An emulator starts no programs; the child will do.
            _exit(three_phases());
        }
        int status;
        struct rusage used;
        CHECK(wait4(child, &status, 0, &used) == child, "wait4 fails with errno %d", errno);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return 0;
        double computed = seconds(used.ru_utime) + seconds(used.ru_stime);
        if (seconds_now() - begun < 1.25 * computed) return 1;
    }
    return 1;
}
