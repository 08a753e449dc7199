/* Allocates from eight thousand stacks, where no more memory can be had: the table of frames cannot grow. */
#include <stdlib.h>
#include <sys/resource.h>

static void *left(unsigned way, int depth), *right(unsigned way, int depth);

static void *on(unsigned way, int depth) {
    if (depth == 0) return malloc(24);
    return way & 1 ? left(way >> 1, depth - 1) : right(way >> 1, depth - 1);
}

static void *left(unsigned way, int depth) { return on(way, depth); }
static void *right(unsigned way, int depth) { return on(way, depth); }

int main(void) {
    struct rlimit before, least;
    free(malloc(24));
    getrlimit(RLIMIT_AS, &before);
    least = before;
    least.rlim_cur = 4096;
    if (setrlimit(RLIMIT_AS, &least)) return 1;
    for (unsigned way = 0; way < 4096; way++) free(on(way, 12));
    return setrlimit(RLIMIT_AS, &before);
}
