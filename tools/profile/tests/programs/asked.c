/* Profiles a part of itself, twice. */
#include <heapwright/profile.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SITE(name)                                             \
    __attribute__((noinline)) void name(void) {                \
        void *block = malloc(1000);                            \
        __asm__ volatile("" : "+r"(block));                    \
        free(block);                                           \
    }

SITE(before)
SITE(profiled)

int main(int argc, char **argv) {
    (void)argc;
    char own[4096];
    before();
    for (int i = 0; i < 2; i++) {
        if (heapwright_profile_start(argv[1], 1)) return 1;
        if (heapwright_profile_start(argv[1], 1) == 0) return 2;
        profiled();
        if (heapwright_profile_write(argv[2])) return 4;
        /* Its own file stays as it is. */
        snprintf(own, sizeof own, "%s/program-%d.chunks", argv[1], getpid());
        if (i == 0 && heapwright_profile_write(own) == 0) return 6;
        heapwright_profile_stop();
        if (heapwright_profile_write(argv[2]) == 0) return 5;
        before();
    }
    return heapwright_profile_start("relative", 1) ? 0 : 3;
}
