// Checks what C and POSIX say of the allocation calls, in the way of mimalloc's own test of its interface: each rule
// has a number and a name, and a broken one ends the program. A block that is refused though it could be granted is
// left out (and counted).
#include "work.h"

static uint64_t refused, state;

// Ends the program unless `holds`.
static void rule(int number, const char *name, bool holds) {
    char text[100];
    if (holds) return;
    snprintf(text, sizeof text, "rule %d: %s", number, name);
    wrong(text);
}

// Whether the request was refused, as it had to be.
static bool is_refused(const void *block) {
    refused += !block;
    return !block;
}

static void fill(unsigned char *block, size_t size, unsigned char key) {
    for (size_t i = 0; i < size; i++) block[i] = (unsigned char)(key + i * 7);
}

static bool is_filled(const unsigned char *block, size_t size, unsigned char key) {
    unsigned char differs = 0;
    for (size_t i = 0; i < size; i++) differs |= block[i] ^ (unsigned char)(key + i * 7);
    return !differs;
}

static bool is_zero(const unsigned char *block, size_t size) {
    unsigned char all = 0;
    for (size_t i = 0; i < size; i++) all |= block[i];
    return !all;
}

static bool is_aligned(const void *block, size_t align) { return ((uintptr_t)block & (align - 1)) == 0; }

static size_t random_size(size_t bound) { return 1 + below((uint32_t)(next_random(&state) >> 20), bound); }

static void zero_sizes(void) {
    void *a = malloc(0), *b = malloc(0), *c = calloc(0, 16), *d = calloc(16, 0), *e = realloc(NULL, 0);
    rule(1, "malloc(0) gives a block of its own, or none", !a || a != b);
    rule(2, "calloc of nothing gives a block of its own, or none", !c || (c != d && c != a && d != b));
    free(a), free(b), free(c), free(d), free(e);
    free(NULL);
    a = malloc(24);
    rule(3, "free(NULL) does nothing", !a || (fill(a, 24, 3), free(NULL), is_filled(a, 24, 3)));
    free(a);
}

static void too_large(void) {
    static const size_t sizes[] = {
        (size_t)PTRDIFF_MAX + 1, SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 64, SIZE_MAX - 4096, SIZE_MAX / 2 + 4096,
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        rule(4, "malloc refuses more than PTRDIFF_MAX", is_refused(malloc(sizes[i])));
        rule(5, "calloc refuses more than PTRDIFF_MAX", is_refused(calloc(1, sizes[i])));
        rule(6, "aligned_alloc refuses more than PTRDIFF_MAX", is_refused(aligned_alloc(4096, sizes[i])));
        unsigned char *block = malloc(100);
        if (!block) continue;
        fill(block, 100, 7);
        rule(7, "realloc refuses more than PTRDIFF_MAX", is_refused(realloc(block, sizes[i])));
        rule(8, "a block stays when realloc refuses", is_filled(block, 100, 7));
        free(block);
    }
    rule(9, "calloc refuses a product that overflows", is_refused(calloc(SIZE_MAX / 2 + 2, 2)));
    rule(9, "calloc refuses a product that overflows", is_refused(calloc((size_t)1 << 33, (size_t)1 << 33)));
    rule(9, "calloc refuses a product that overflows", is_refused(calloc(SIZE_MAX / 16 + 1, 17)));
}

static void zeroed(size_t largest) {
    for (int i = 0; i < 200; i++) {
        size_t size = random_size(i % 20 ? 4096 : largest / 16);
        // What is freed is likely to be what comes next, and is not 0.
        unsigned char *block = malloc(size);
        if (block) memset(block, 0xa5, size);
        free(block);
        size_t count = 1 + size % 3, each = size / count;
        block = calloc(count, each);
        rule(10, "calloc's block is all 0", !block || is_zero(block, count * each));
        free(block);
    }
}

static void resized(size_t largest) {
    unsigned char *block = realloc(NULL, 10), *more;
    rule(11, "realloc(NULL) is malloc", !block || (fill(block, 10, 1), is_filled(block, 10, 1)));
    size_t size = block ? 10 : 0;
    unsigned char key = 1;
    for (int i = 0; i < 100; i++) {
        size_t wanted = random_size(i % 10 ? 8192 : largest / 8), kept = wanted < size ? wanted : size;
        if (!(more = realloc(block, wanted))) continue;
        rule(12, "realloc keeps what is in the block", is_filled(more, kept, key));
        block = more, size = wanted, key = (unsigned char)i;
        fill(block, size, key);
    }
    free(block);
    if ((block = aligned_alloc(256, 512))) {
        fill(block, 512, 5);
        if ((more = realloc(block, 3000))) block = more;
        rule(13, "realloc keeps an aligned block's bytes", is_filled(block, 512, 5));
    }
    free(block);
}

static void aligned(void) {
    for (size_t align = sizeof(void *); align <= 65536; align *= 2)
        for (size_t i = 1; i <= 4; i++) {
            size_t size = i == 4 ? align : align * i / 2 + i * 8;
            unsigned char *block = aligned_alloc(align, size), *other = aligned_alloc(align, size);
            rule(14, "aligned_alloc aligns", is_aligned(block, align) && is_aligned(other, align));
            if (block && other) {
                fill(block, size, 2), fill(other, size, 3);
                rule(15, "aligned blocks are apart", is_filled(block, size, 2) && is_filled(other, size, 3));
            }
            free(block), free(other);
        }
}

#define MANY 1200

static void many_sizes(void) {
    static unsigned char *blocks[MANY];
    // Every size to 1024, then in steps to 46 KiB.
    #define SIZE(i) ((i) < 1024 ? (i) : 1024 + ((i) - 1024) * 257)
    for (size_t i = 0; i < MANY; i++) {
        unsigned char *block = blocks[i] = malloc(SIZE(i));
        size_t align = SIZE(i) >= 16 ? 16 : SIZE(i) >= 8 ? 8 : 1;
        rule(16, "malloc aligns for any object of the size", is_aligned(block, align));
        if (block) fill(block, SIZE(i), (unsigned char)i);
    }
    // A third is freed and allocated again, so that blocks come from between others.
    for (size_t i = 0; i < MANY; i += 3) free(blocks[i]);
    for (size_t i = 0; i < MANY; i += 3)
        if ((blocks[i] = malloc(SIZE(i)))) fill(blocks[i], SIZE(i), (unsigned char)i);
    for (size_t i = MANY; i-- > 0;) {
        rule(17, "blocks are apart", !blocks[i] || is_filled(blocks[i], SIZE(i), (unsigned char)i));
        free(blocks[i]);
    }
}

static void large(size_t largest) {
    unsigned char *blocks[4];
    for (size_t i = 0; i < 4; i++)
        if ((blocks[i] = malloc(largest - i * 4097))) memset(blocks[i], (int)i + 1, largest - i * 4097);
    for (size_t i = 0; i < 4; i++) {
        unsigned char *b = blocks[i];
        size_t last = largest - i * 4097 - 1;
        rule(18, "large blocks are apart", !b || (b[0] == i + 1 && b[last / 2] == i + 1 && b[last] == i + 1));
        free(b);
    }
}

// Checks every rule `rounds` times; how many requests were refused that had to be.
uint64_t work_mitest(uint64_t rounds, uint64_t largest, uint64_t seed) {
    refused = 0;
    state = seed * 2 + 1;
    for (uint64_t i = 0; i < rounds; i++) {
        zero_sizes();
        too_large();
        zeroed(largest);
        resized(largest);
        aligned();
        many_sizes();
        large(largest);
    }
    return refused;
}
