// The memory test in C, in the way of the OS's own: a table of blocks is allocated, filled, read and freed, through C's calls.
//
//   table   [ ● │ ● │ ● │ … ]     every other block is freed and had anew, then all grow, then all go
//             ▼   ▼   ▼
//           blocks of 8 to 4,096 bytes, each with its own number in it
#include <stddef.h>

void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *block, size_t size);
void free(void *block);

enum { BLOCKS = 2000 };

static size_t size_of(int i) { return 8 + (size_t)i * 131 % 4089; }

// Of 16 bytes one is written, and read again: what is counted is to be the calls.
enum { STEP = 16 };

static void fill(unsigned char *block, size_t from, size_t size, int i) {
    for (size_t at = from; at < size; at += STEP) block[at] = (unsigned char)i;
}

static int is_full(const unsigned char *block, size_t size, int i) {
    for (size_t at = 0; at < size; at += STEP)
        if (block[at] != (unsigned char)i) return 0;
    return 1;
}

// What went wrong, as a number; 0: nothing.
int memtest(void) {
    free(malloc(0));
    unsigned char **table = calloc(BLOCKS, sizeof *table);
    if (!table) return 1;
    for (int i = 0; i < BLOCKS; i++) {
        if (table[i]) return 2;  // calloc's bytes are 0
        if (!(table[i] = malloc(size_of(i)))) return 3;
        fill(table[i], 0, size_of(i), i);
    }
    for (int i = 0; i < BLOCKS; i += 2) {
        if (!is_full(table[i], size_of(i), i)) return 4;
        free(table[i]);
        if (!(table[i] = malloc(size_of(i)))) return 5;
        fill(table[i], 0, size_of(i), i);
    }
    for (int i = 0; i < BLOCKS; i++) {
        unsigned char *grown = realloc(table[i], 2 * size_of(i));
        if (!grown || !is_full(grown, size_of(i), i)) return 6;
        fill(table[i] = grown, 0, 2 * size_of(i), i);
    }
    for (int i = BLOCKS - 1; i >= 0; i--) {
        if (!is_full(table[i], 2 * size_of(i), i)) return 7;
        free(table[i]);
    }
    free(table);
    return 0;
}
