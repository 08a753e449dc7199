// C23 7.24.3.7 realloc: under a limit that the running program sets below what it has mapped, large blocks still grow
// also: glibc
#include <sys/resource.h>

#include "check.h"

enum { BLOCKS = 8, STEPS = 20 };

static void grow_under(int resource) {
    char *blocks[BLOCKS];
    size_t size = 700 * KIB;
    for (int i = 0; i < BLOCKS; i++) {
        CHECK((blocks[i] = malloc(size)) != NULL, "malloc is NULL");
        fill(blocks[i], size, (unsigned)i);
    }
    struct rlimit limit = {1 * MIB, RLIM_INFINITY};
    CHECK(setrlimit(resource, &limit) == 0, "setrlimit fails");
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < BLOCKS; i++) {
            char *grown = realloc(blocks[i], size + (size_t)(step + 1) * 100000);
            if (grown) blocks[i] = grown, grown[size + (size_t)step * 100000] = 1;
            CHECK(first_difference(blocks[i], size, (unsigned)i) == size, "realloc loses contents");
        }
    for (int i = 0; i < BLOCKS; i++) free(blocks[i]);
}

int main(void) {
    static const int resources[] = {RLIMIT_AS, RLIMIT_DATA};
    for (int i = 0; i < 2; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            grow_under(resources[i]);
            _exit(0);
        }
        int status = end_of(child);
        CHECK(status == 0, "resource %d: status %#x", resources[i], status);
    }
    return 0;
}
