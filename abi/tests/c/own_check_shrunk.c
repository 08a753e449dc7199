// heapwright.h: heapwright_check is 0 while blocks shrink in place and are freed by the size they shrank to (C23 7.24.3.4)
// link: heapwright
// again: HEAPWRIGHT=safe=1
#include <heapwright.h>

#include "check.h"

enum { COUNT = 3000, ROUNDS = 10 };

int main(void) {
    static void *blocks[COUNT];
    static size_t sizes[COUNT];
    uint64_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COUNT; i++) {
            size_t size = random_next(&state) % (i % 100 ? 2000 : 200000) + 1;
            CHECK((blocks[i] = malloc(size)) != NULL, "malloc(%zu) is NULL", size);
            sizes[i] = size - random_next(&state) % (size / 2 + 1);
            CHECK((blocks[i] = realloc(blocks[i], sizes[i])) != NULL, "realloc to %zu is NULL", sizes[i]);
        }
        CHECK(heapwright_check() == 0, "heapwright_check() is not 0 with all live, round %d", round);
        for (int i = 0; i < COUNT; i++) {
            free_sized(blocks[i], sizes[i]);
            if (i % 100 == 0) CHECK(heapwright_check() == 0, "heapwright_check() is not 0 in round %d", round);
        }
    }
    return 0;
}
