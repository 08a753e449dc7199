// survival: under a memory cgroup free memory goes back for blocks that are mappings of their own too, new ones and grown ones
// long: only on the flagship
// also: glibc
#include "cgroup.h"

enum { LARGE = 40000000 };

static void two_large_blocks(void) {
    char *first = malloc(LARGE);
    CHECK(first != NULL, "malloc(%d) is NULL", LARGE);
    memset(hide(first), 1, LARGE);
    char *grown = realloc(first, 2 * LARGE);
    CHECK(grown != NULL, "realloc(%d) is NULL", 2 * LARGE);
    memset(hide(grown + LARGE), 1, LARGE);
    char *third = malloc(LARGE);
    CHECK(third != NULL, "malloc(%d) is NULL", LARGE);
    memset(hide(third), 1, LARGE);
    free(third);
    free(grown);
}

// No block of that size was asked for before: what is free has to make way for the growth itself.
static void a_block_that_grows_at_once(void) {
    char *block = malloc(2 * MIB);
    CHECK(block != NULL, "malloc(2 MiB) is NULL");
    memset(hide(block), 1, 2 * MIB);
    char *grown = realloc(block, 100 * MIB);
    CHECK(grown != NULL, "realloc(100 MiB) is NULL");
    memset(hide(grown), 1, 100 * MIB);
    free(grown);
}

static void swing(size_t size) {
    static void *blocks[100 * MIB / 100];
    size_t count = 100 * MIB / size;
    for (size_t i = 0; i < count; i++) {
        CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
        memset(blocks[i], 1, size);
    }
    for (size_t i = 0; i < count; i++) free(blocks[i]);
}

// At most 120 MB are live at any time.
static void swing_and_map(void) {
    alarm(50);
    const size_t sizes[] = {100, 700, 3000, 20000, 60000, 130000, 300000};
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) swing(sizes[i]);
        a_block_that_grows_at_once();
        two_large_blocks();
    }
}

int main(void) {
    run_in_cgroup(200 * MIB, swing_and_map);
    return 0;
}
