// survival: realloc of a block that the program has split into mappings loses nothing, however few mappings are left
// long: only on the flagship
// also: glibc
// timeout: 150
#include <sys/mman.h>

#include "maps.h"

static const size_t lengths[][2] = {{4 * MIB, 12 * MIB}, {8 * MIB, 40 * MIB}, {40 * MIB, 70 * MIB}};
static size_t page;

// A block of `from` bytes in 17 mappings grows to `to` while `left` mappings can still be made.
static void grow(size_t from, size_t to, long left, long most) {
    size_t *block = malloc(from);
    CHECK(block != NULL, "malloc(%zu) is NULL", from);
    for (size_t i = 0; i < from / 8; i++) block[i] = i + 1;
    uintptr_t middle = ((uintptr_t)block + from / 2) & ~(page - 1);
    for (size_t i = 0; i < 8; i++) madvise((char *)middle + 2 * i * page, page, MADV_DONTFORK);

    // Every other page of another mapping gets a protection of its own.
    long need = most - left - mappings();
    size_t length = (size_t)(need + 4) * page;
    char *cut = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(cut != MAP_FAILED, "mmap fails");
    for (long i = 1; i < need && mprotect(cut + (size_t)i * page, page, PROT_READ) == 0; i += 2) {}

    size_t *grown = realloc(block, to);
    size_t *now = grown ? grown : block;
    size_t wrong = 0;
    for (size_t i = 0; i < from / 8; i++) wrong += now[i] != i + 1;
    munmap(cut, length);
    CHECK(wrong == 0, "realloc from %zu to %zu with %ld mappings left: %zu words of %zu are lost", from, to, left, wrong, from / 8);
    madvise((char *)middle, 16 * page, MADV_DOFORK);
    free(now);
}

int main(void) {
    alarm(140);
    page = (size_t)sysconf(_SC_PAGESIZE);
    long most = 0;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    if (!file || fscanf(file, "%ld", &most) != 1 || most > 100000) SKIP("the limit on mappings is unknown, or too high to be reached");
    fclose(file);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (long left = 4; left <= 20; left += 8) grow(lengths[i][0], lengths[i][1], left, most);
    return 0;
}
