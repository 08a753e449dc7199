// heapwright.h: heapwright_check is 0 after a block whose pages were moved has given its addresses up
// link: heapwright
#include <heapwright.h>
#include <sys/resource.h>

#include "check.h"

int main(void) {
    CHECK(malloc(4 * MIB) != NULL, "malloc is NULL");
    char *block = malloc(600 * KIB), *behind = malloc(600 * KIB);
    CHECK(block && behind, "malloc is NULL");
    memset(block, 1, 600 * KIB);
    // It cannot grow in place, so its pages move.
    CHECK((block = realloc(block, 3 * MIB)) != NULL, "realloc is NULL");
    free(block);
    struct rlimit limit = {1024 * MIB, RLIM_INFINITY};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit fails with errno %d", errno);
    CHECK(heapwright_check() == 0, "the heap is broken under a limit");
    block = malloc(3 * MIB);
    CHECK(block != NULL, "malloc under the limit is NULL");
    free(block);
    CHECK(heapwright_check() == 0, "the heap is broken");
    return 0;
}
