// survival: what is taken and hardly touched costs the pages that are touched, not pages of 2 MiB, whoever takes it, and whatever was used before
// long: only on the flagship
// also: glibc
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "check.h"

static void *touched(void *block) {
    CHECK(block != NULL, "out of memory");
    *(volatile char *)block = 1;
    return block;
}

// 30 MB of ordinary use, with which huge pages are asked for, if they ever are.
static void warm(void) {
    for (int i = 0; i < 30000; i++) memset(touched(malloc(1000)), 1, 1000);
}

static void of_alignment(size_t align, int count) {
    for (int i = 0; i < count; i++) {
        void *block = NULL;
        CHECK(posix_memalign(&block, align, 64) == 0, "out of memory");
        touched(block);
    }
}

static void of_size(size_t size, int count) {
    for (int i = 0; i < count; i++) touched(malloc(size));
}

static void *large(void *unused) {
    void *blocks[300];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 300; i++) blocks[i] = touched(malloc(i * 7919l * (round + 1) % 3000000 + 1));
        if (round == 3) break;
        for (int i = 0; i < 300; i++) free(blocks[i]);
    }
    return unused;
}

static void *idle(void *unused) {
    pause();
    return unused;
}

static void in_threads(int count) {
    pthread_t threads[4];
    for (int i = 0; i < count; i++) CHECK(pthread_create(&threads[i], 0, large, 0) == 0, "no thread");
    for (int i = 0; i < count; i++) pthread_join(threads[i], 0);
}

static void scenario(int number) {
    pthread_t thread;
    struct rlimit limit = {8ul << 30, 8ul << 30};
    switch (number) {
    case 0: warm(); of_alignment(2 * MIB, 500); break;
    case 1: warm(); of_alignment(MIB / 4, 1000); break;
    case 2: warm(); of_alignment(MIB / 16, 2000); break;
    case 3: warm(); of_size(20000, 4000); break;
    case 4: warm(); of_size(70000, 2000); break;
    case 5: warm(); of_size(600000, 500); break;
    case 6: in_threads(4); break;
    case 7: CHECK(pthread_create(&thread, 0, idle, 0) == 0, "no thread"); large(0); break;
    case 8: setrlimit(RLIMIT_AS, &limit); in_threads(4); break;
    case 9: prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); in_threads(4); break;
    case 10: for (int i = 0; i < 500; i++) { of_size(100, 160); of_size(2 * MIB - 16384, 1); } break;
    }
}

int main(void) {
    if (unasked_huge_pages()) SKIP("the kernel uses huge pages whether it is asked or not");
    // 30 of ordinary use, 4 to 16 for the pages touched, and what threads keep.
    static const size_t most[] = {60, 60, 60, 70, 60, 60, 48, 32, 48, 48, 32};
    for (int number = 0; number < (int)(sizeof most / sizeof *most); number++) {
        pid_t child = fork();
        if (child == 0) {
            size_t before = resident();
            scenario(number);
            size_t more = resident() - before;
            CHECK(more <= most[number] * MIB, "scenario %d: %zu MiB more, at most %zu are needed", number, more / MIB, most[number]);
            _exit(0);
        }
        CHECK(end_of(child) == 0, "scenario %d failed", number);
    }
    return 0;
}
