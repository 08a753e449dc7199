// survival: vm.max_map_count: growing by realloc leaves few mappings, in the program and in its children, and none for long
// long: only on the flagship
// also: glibc
#include <malloc.h>

#include "maps.h"

enum { SLOTS = 1000, ROUNDS = 16000, LOOKS = 8 };

static char *blocks[SLOTS];
static size_t sizes[SLOTS];

static void grow_and_free(uint64_t seed, int rounds, int start) {
    for (int round = 1; round <= rounds; round++) {
        size_t at = random_next(&seed) % SLOTS;
        if (!blocks[at]) {
            sizes[at] = 530 * KIB + random_next(&seed) % (100 * KIB);
            CHECK((blocks[at] = malloc(sizes[at])) != NULL, "malloc is NULL");
            fill(blocks[at], 100, (unsigned)at);
        } else if (random_next(&seed) % 3 && sizes[at] < 800 * KIB) {
            sizes[at] += random_next(&seed) % (100 * KIB);
            CHECK((blocks[at] = realloc(blocks[at], sizes[at])) != NULL, "realloc is NULL");
            CHECK(first_difference(blocks[at], 100, (unsigned)at) == 100, "realloc loses contents");
            blocks[at][sizes[at] - 1] = 1;
        } else {
            free(blocks[at]);
            blocks[at] = NULL;
        }
        if (round % (rounds / LOOKS) == 0) {
            int now = mappings();
            CHECK(now < start + MOST_MAPPINGS, "%d mappings after %d rounds, %d at the start", now, round, start);
        }
    }
}

int main(void) {
    alarm(50);
    free(hide(malloc(1)));
    int start = mappings();
    grow_and_free(1, ROUNDS, start);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        grow_and_free(2, ROUNDS / 8, start);
        _exit(0);
    }
    ended_well(child, "child");
    grow_and_free(3, ROUNDS / 8, start);
    for (int i = 0; i < SLOTS; i++) free(blocks[i]);
    int freed = mappings();
    CHECK(freed < start + 200, "%d mappings after everything is freed, %d at the start", freed, start);
    malloc_trim(0);
    int trimmed = mappings();
    CHECK(trimmed < start + 20, "%d mappings after malloc_trim, %d at the start", trimmed, start);
    return 0;
}
