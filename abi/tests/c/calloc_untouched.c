// survival: calloc of 256 MiB of fresh memory makes no page resident; what is read there is zero
// also: glibc
#include "check.h"

int main(void) {
    size_t before = resident();
    char *block = calloc(1, 256 * MIB);
    CHECK(block != NULL, "calloc(256 MiB) is NULL");
    size_t after = resident();
    CHECK(after < before + 4 * MIB, "calloc(256 MiB) makes %zu KiB resident", (after - before) / KIB);
    for (size_t at = 0; at < 256 * MIB; at += 37 * MIB) CHECK(block[at] == 0, "byte %zu is not zero", at);
    CHECK(block[256 * MIB - 1] == 0, "the last byte is not zero");
    free(block);
    return 0;
}
