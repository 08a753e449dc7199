// survival: before malloc of some MiB is refused under RLIMIT_AS, empty blocks give their addresses up for it
// link: heapwright
#include <sys/mman.h>

#include "limited.h"

enum { BLOCKS = 100 };

int main(int count, char **arguments) {
    start_again_under(RLIMIT_AS, 300 * MIB, count, arguments);
    char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) CHECK((blocks[i] = malloc(2 * MIB)) != NULL, "block %d is refused", i);
    // No two of them lie beside each other.
    for (int i = 0; i < BLOCKS; i += 2) free(blocks[i]);
    for (size_t size = 64 * MIB; size >= 4096; size /= 2)
        while (mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED) {}
    for (size_t size = 3 * MIB; size <= 40 * MIB; size += 9 * MIB) {
        char *block = malloc(size);
        CHECK(block != NULL, "%zu MiB are refused while 100 are free", size / MIB);
        block[0] = block[size - 1] = 1;
        free(block);
    }
    for (int i = 1; i < BLOCKS; i += 2) free(blocks[i]);
    return 0;
}
