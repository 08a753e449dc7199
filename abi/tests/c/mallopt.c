// glibc mallopt(3): returns 1 for every parameter it documents; allocation goes on
// also: glibc
#include <malloc.h>

#include "check.h"

int main(void) {
    const struct {
        const char *name;
        int parameter, value;
    } options[] = {{"M_MXFAST", M_MXFAST, 64},
                   {"M_TRIM_THRESHOLD", M_TRIM_THRESHOLD, 256 * 1024},
                   {"M_TOP_PAD", M_TOP_PAD, 64 * 1024},
                   {"M_MMAP_THRESHOLD", M_MMAP_THRESHOLD, 256 * 1024},
                   {"M_MMAP_MAX", M_MMAP_MAX, 1000},
                   {"M_CHECK_ACTION", M_CHECK_ACTION, 3},
                   {"M_PERTURB", M_PERTURB, 0},
                   {"M_ARENA_TEST", M_ARENA_TEST, 2},
                   {"M_ARENA_MAX", M_ARENA_MAX, 2}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        int result = mallopt(options[i].parameter, options[i].value);
        CHECK(result == 1, "mallopt(%s, %d) returns %d", options[i].name, options[i].value, result);
        void *small = malloc(100), *large = malloc(MIB);
        CHECK(small && large, "malloc after mallopt(%s) is NULL", options[i].name);
        free(small), free(large);
    }
    return 0;
}
