// survival: a block that grows by realloc under `ulimit -v` of 300 MiB gets to 275 MiB, whatever the steps
// also: glibc
#include "limited.h"

int main(int count, char **arguments) {
    alarm(55);
    start_again_under(RLIMIT_AS, 300 * MIB, count, arguments);
    const size_t steps[] = {MIB, 100000, 16 * MIB};
    for (int i = 0; i < 3; i++) {
        size_t size = 0;
        char *block = NULL, *larger;
        while ((larger = realloc(block, size + steps[i])) != NULL) {
            block = larger;
            block[size] = block[size + steps[i] - 1] = (char)(size / steps[i]);
            size += steps[i];
        }
        CHECK(errno == ENOMEM, "realloc is NULL with errno %d", errno);
        CHECK(size >= 275 * MIB, "steps of %zu end at %zu MiB", steps[i], size / MIB);
        for (size_t at = 0; at < size; at += steps[i])
            CHECK(block[at] == (char)(at / steps[i]) && block[at + steps[i] - 1] == block[at], "byte %zu was overwritten", at);
        free(block);
    }
    return 0;
}
