// design: memory of scattered blocks goes back as far after blocks shrank in place and were freed by their size as before
// link: heapwright
#include <heapwright.h>
#include <unistd.h>

#include "check.h"

enum { COUNT = 400000, SIZE = 200, KEPT = 200, ROUNDS = 60, SHRUNK = 50000 };

// Resident memory after all but one of 200 blocks was freed, scattered over 80 MiB.
static size_t after_scattered_frees(void) {
    static char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        memset(blocks[i], 1, SIZE);
    }
    for (int i = 0; i < COUNT; i++)
        if (i % KEPT) free(blocks[i]);
    size_t left = resident();
    for (int i = 0; i < COUNT; i += KEPT) free(blocks[i]);
    return left;
}

// As a vector that is cut to its length: made larger than needed, shrunk, freed by the size it has then.
static void shrink_and_free(void) {
    static char *blocks[SHRUNK];
    for (int i = 0; i < SHRUNK; i++) {
        CHECK((blocks[i] = malloc(i % 2 ? 128 : 80)) != NULL, "malloc(128) is NULL");
        if (i % 2) CHECK((blocks[i] = realloc(blocks[i], 72)) != NULL, "realloc to 72 is NULL");
    }
    for (int i = 0; i < SHRUNK; i++) free_sized(blocks[i], i % 2 ? 72 : 80);
}

// The same in a process that has done nothing else: memory that swung before goes back later.
static size_t in_a_child(void) {
    int ends[2];
    size_t left = 0;
    CHECK(pipe(ends) == 0, "pipe fails");
    pid_t child = fork();
    if (child == 0) {
        left = after_scattered_frees();
        _exit(write(ends[1], &left, sizeof left) != sizeof left);
    }
    CHECK(read(ends[0], &left, sizeof left) == sizeof left, "the child says nothing");
    CHECK(waitpid(child, NULL, 0) == child, "the child cannot be waited for");
    return left;
}

int main(void) {
    size_t before = in_a_child();
    for (int round = 0; round < ROUNDS; round++) shrink_and_free();
    size_t after = after_scattered_frees();
    CHECK(after < before + before / 4 + 8 * MIB, "%zu KiB are resident after the frees, %zu KiB without blocks that shrank", after / KIB,
          before / KIB);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
