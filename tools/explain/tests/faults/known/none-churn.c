// none: a table of a fixed number of blocks, replaced at random.
#include <stdlib.h>
#include <string.h>

static unsigned long long state = 88172645463325252ull;
static unsigned next(unsigned below) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 32) % below;
}

static char *table[40000];

int main(void) {
    for (int i = 0; i < 1500000; i++) {
        unsigned which = next(40000);
        size_t size = 16 + next(500);
        free(table[which]);
        table[which] = malloc(size);
        memset(table[which], i, size);
    }
    for (int i = 0; i < 40000; i++) free(table[i]);
    return 0;
}
