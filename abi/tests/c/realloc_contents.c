// C23 7.24.3.7: realloc keeps the contents up to the lesser of the two sizes, across every size boundary, up and down
// long: only on the flagship
// also: glibc
// again: HEAPWRIGHT=safe=1
#include "check.h"

static char *change(char *block, size_t from, size_t to) {
    block = realloc(block, to);
    CHECK(block != NULL, "realloc(%zu -> %zu) is NULL", from, to);
    size_t kept = from < to ? from : to, at = first_difference(block, kept, 7);
    CHECK(at == kept, "realloc(%zu -> %zu) lost byte %zu", from, to, at);
    fill_from(block, kept, to, 7);
    return block;
}

static void up_and_down(size_t top) {
    size_t sizes[2048], count = 0;
    for (size_t size = 1; size <= top && count < 2047; size = next_size(size)) sizes[count++] = size;
    sizes[count++] = top;
    char *block = malloc(1);
    CHECK(block != NULL, "malloc(1) is NULL");
    fill(block, 1, 7);
    for (size_t i = 1; i < count; i++) block = change(block, sizes[i - 1], sizes[i]);
    for (size_t i = count - 1; i > 0; i--) block = change(block, sizes[i], sizes[i - 1]);
    free(block);
}

static void jumps(void) {
    const size_t sizes[] = {1,       16,      24,      64,      256,         257,         1000,     4096,
                            32768,   32769,   65536,   262144,  MIB,         2 * MIB,     2 * MIB + 1, 5 * MIB,
                            32 * MIB, 33 * MIB, 64 * MIB};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            char *block = malloc(sizes[i]);
            CHECK(block != NULL, "malloc(%zu) is NULL", sizes[i]);
            size_t kept = sizes[i] < sizes[j] ? sizes[i] : sizes[j];
            fill(block, kept, 9);
            block = realloc(block, sizes[j]);
            CHECK(block != NULL, "realloc(%zu -> %zu) is NULL", sizes[i], sizes[j]);
            size_t at = first_difference(block, kept, 9);
            CHECK(at == kept, "realloc(%zu -> %zu) lost byte %zu", sizes[i], sizes[j], at);
            block[sizes[j] - 1] = 1;
            free(block);
        }
    }
}

int main(void) {
    up_and_down(64 * MIB);
    jumps();
    return 0;
}
