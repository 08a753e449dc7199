// survival: `ulimit -v` of 6 MiB, most of which the C library takes: small blocks of many sizes, then NULL with ENOMEM, and again after free
// also: glibc
#include "limited.h"

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 6 * MIB, count, arguments);
    for (int round = 0; round < 3; round++) {
        static void *blocks[100];
        for (size_t i = 0; i < 100; i++) {
            CHECK((blocks[i] = malloc(i * 40 + 1)) != NULL, "malloc(%zu) is NULL in round %d", i * 40 + 1, round);
            fill(blocks[i], i * 40 + 1, (unsigned)i);
        }
        for (size_t i = 0; i < 100; i++) {
            CHECK(first_difference(blocks[i], i * 40 + 1, (unsigned)i) == i * 40 + 1, "block %zu was overwritten", i);
            free(blocks[i]);
        }
        struct object *list = NULL;
        size_t total = allocate_list(&list, 104, 6 * MIB);
        CHECK(total > 256 * KIB && total < 6 * MIB, "%zu KiB of small objects fit in round %d", total / KIB, round);
        verify_and_free(list, 104);
    }
    return 0;
}
