// heapwright.h: heapwright_purge gives free memory back now and says how much; blocks in use keep their contents
// link: heapwright
#include <heapwright.h>

#include "check.h"

enum { COUNT = 100000, SIZE = 400, KEPT = 1000 };

int main(void) {
    static char *blocks[COUNT];
    for (int i = 0; i < COUNT; i++) {
        CHECK((blocks[i] = malloc(SIZE)) != NULL, "malloc(%d) is NULL", SIZE);
        fill(blocks[i], SIZE, (unsigned)i);
    }
    char *large = malloc(20 * MIB);
    CHECK(large != NULL, "malloc(20 MiB) is NULL");
    memset(hide(large), 1, 20 * MIB);
    size_t before = resident();
    for (int i = KEPT; i < COUNT; i++) free(blocks[i]);
    free(large);
    errno = 4242;
    size_t bytes = heapwright_purge();
    CHECK(errno == 4242, "heapwright_purge() sets errno to %d", errno);
    size_t after = resident();
    CHECK(after + 50 * MIB < before, "resident memory is %zu KiB after heapwright_purge(), %zu KiB before", after / KIB, before / KIB);
    CHECK(bytes < GIB, "heapwright_purge() says it gave back %zu bytes", bytes);
    for (int i = 0; i < KEPT; i++)
        CHECK(first_difference(blocks[i], SIZE, (unsigned)i) == SIZE, "heapwright_purge() changed a block in use");
    for (int i = KEPT; i < COUNT; i++) {
        CHECK((blocks[i] = calloc(1, SIZE)) != NULL, "calloc after heapwright_purge() is NULL");
        CHECK(first_dirty(blocks[i], SIZE) == SIZE, "calloc after heapwright_purge() is not zero");
    }
    for (int i = 0; i < COUNT; i++) free(blocks[i]);
    heapwright_purge();
    size_t second = heapwright_purge();
    CHECK(second < MIB, "a second heapwright_purge() at once gives back %zu bytes more", second);
    CHECK(heapwright_check() == 0, "heapwright_check() finds the heap broken");
    return 0;
}
