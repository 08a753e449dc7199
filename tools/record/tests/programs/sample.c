// Four places that allocate so many blocks of one size each, in turns.
#include <stdlib.h>

static void *volatile block;

#define PLACE(name, size)                    \
    __attribute__((noinline)) void name(void) { \
        block = malloc(size);                \
        free(block);                         \
        block = 0;                           \
    }

PLACE(tiny, 24)
PLACE(small, 700)
PLACE(large, 9000)
PLACE(huge, 100000)

int main(void) {
    for (int i = 0; i < 40000; i++) {
        tiny();
        if (i % 10 == 0) small();
        if (i % 100 == 0) large();
        if (i % 1000 == 0) huge();
    }
    return 0;
}
