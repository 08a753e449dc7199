/* Compressed memory, as zram has it: pages of which all words are the same are a word, others are compressed into a zsmalloc
 * pool, and those that compress badly lie in it raw.
 *
 *     cargo build --release -p heapwright-abi-kernel
 *     cc -I abi/include abi/kernel/examples/zram.c target/release/libheapwright_kernel.a -o zram && ./zram
 */
#include <heapwright/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 20000, PAGE = 4096 };

struct slot {
    unsigned long handle; /* of the object, or the word that fills the page */
    unsigned short len;   /* 0: filled with a word; PAGE: raw */
};

static struct zs_pool *pool;
static struct slot *slots;
static size_t compressed, filled, huge;

/* Runs of a byte become two bytes, others follow their length; a stand-in for lz4. 0: it would be `most` bytes or more. */
static size_t pack(unsigned char *out, size_t most, const unsigned char *page) {
    size_t at = 0, len = 0;
    while (at < PAGE) {
        size_t run = 1;
        while (at + run < PAGE && run < 127 && page[at + run] == page[at]) run++;
        if (run >= 4) {
            if (len + 2 > most) return 0;
            out[len++] = (unsigned char)(run | 0x80);
            out[len++] = page[at];
            at += run;
            continue;
        }
        size_t start = at;
        while (at < PAGE && at - start < 127 && !(at + 3 < PAGE && page[at] == page[at + 1] && page[at] == page[at + 2] && page[at] == page[at + 3])) at++;
        if (len + 1 + (at - start) > most) return 0;
        out[len++] = (unsigned char)(at - start);
        memcpy(out + len, page + start, at - start);
        len += at - start;
    }
    return len;
}

static void unpack(unsigned char *page, const unsigned char *in, size_t len) {
    const unsigned char *end = in + len;
    while (in < end) {
        size_t run = *in++;
        if (run & 0x80) {
            memset(page, *in++, run & 0x7f);
            page += run & 0x7f;
        } else {
            memcpy(page, in, run);
            in += run;
            page += run;
        }
    }
}

static void drop(unsigned index) {
    if (slots[index].len > 0) {
        zs_free(pool, slots[index].handle);
        compressed -= slots[index].len;
        huge -= slots[index].len == PAGE;
    } else {
        filled--;
    }
}

static int put(unsigned index, const unsigned char *page) {
    static unsigned char buffer[PAGE];
    unsigned long word;
    memcpy(&word, page, sizeof word);
    if (memcmp(page, page + sizeof word, PAGE - sizeof word) == 0) {
        slots[index] = (struct slot){word, 0};
        filled++;
        return 0;
    }
    size_t len = pack(buffer, zs_huge_class_size(pool) - 1, page);
    const unsigned char *bytes = len ? buffer : page;
    if (!len) len = PAGE;
    unsigned long handle = zs_malloc(pool, len, GFP_NOIO | __GFP_HIGHMEM | __GFP_MOVABLE);
    if (IS_ERR_VALUE(handle)) return (int)(long)handle;
    zs_obj_write(pool, handle, (void *)bytes, len);
    slots[index] = (struct slot){handle, (unsigned short)len};
    compressed += len;
    huge += len == PAGE;
    return 0;
}

static void get(unsigned index, unsigned char *page) {
    struct slot slot = slots[index];
    if (slot.len == 0) {
        for (size_t at = 0; at < PAGE; at += sizeof slot.handle) memcpy(page + at, &slot.handle, sizeof slot.handle);
        return;
    }
    void *bytes = zs_obj_read_begin(pool, slot.handle, NULL);
    if (slot.len == PAGE)
        memcpy(page, bytes, PAGE);
    else
        unpack(page, bytes, slot.len);
    zs_obj_read_end(pool, slot.handle, bytes);
}

/* A page of text of which more or less repeats. */
static void make(unsigned index, unsigned char *page) {
    unsigned state = index * 2654435761u + 1;
    memset(page, index % 3, PAGE);
    if (index % 7 == 0) return;
    size_t noise = index % 11 == 0 ? PAGE : (index * 37u) % (PAGE / 2);
    for (size_t at = 0; at < noise; at++) page[at] = (unsigned char)((state = state * 1103515245u + 12345) >> 16);
}

static void say(const char *when, unsigned pages) {
    unsigned long used = zs_get_total_pages(pool);
    printf("%-18s %9zu bytes in %9zu compressed, %9lu used; %zu filled, %zu raw\n", when, (size_t)pages * PAGE, compressed, used * PAGE, filled, huge);
}

int main(void) {
    static unsigned char page[PAGE], again[PAGE];
    pool = zs_create_pool("zram0");
    slots = vzalloc(PAGES * sizeof *slots);
    if (!pool || !slots) return 1;
    for (unsigned i = 0; i < PAGES; i++) {
        make(i, page);
        if (put(i, page)) return 1;
    }
    say("stored", PAGES);
    for (unsigned i = 0; i < PAGES; i++) {
        make(i, page);
        get(i, again);
        if (memcmp(page, again, PAGE) != 0) return 1;
    }
    for (unsigned i = 0; i < PAGES; i += 2) drop(i);
    say("half of it dropped", PAGES / 2);
    zs_compact(pool);
    struct zs_pool_stats stats;
    zs_pool_stats(pool, &stats);
    say("compacted", PAGES / 2);
    printf("compacting gave %lu pages back\n", stats.pages_compacted);
    for (unsigned i = 1; i < PAGES; i += 2) {
        make(i, page);
        get(i, again);
        if (memcmp(page, again, PAGE) != 0) return 1;
        drop(i);
    }
    zs_destroy_pool(pool);
    vfree(slots);
    return heapwright_kernel_check() == 0 ? 0 : 1;
}
