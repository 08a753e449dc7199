// pages so scattered that the process would need more mappings than it may have: NULL, and it can go on mapping
#include <sys/mman.h>

#include "check.h"

enum { OTHERS = 20000, PIECES = 50000 };

static size_t mappings(void) {
    FILE *file = fopen("/proc/self/maps", "r");
    size_t lines = 0;
    CHECK(file != NULL);
    for (int byte; (byte = getc(file)) != EOF;) lines += byte == '\n';
    fclose(file);
    return lines;
}

int main(void) {
    unsigned long most = 0;
    FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
    CHECK(file != NULL && fscanf(file, "%lu", &most) == 1);
    fclose(file);
    // A higher limit takes long to reach.
    if (most > OTHERS + PIECES) return 0;
    for (int i = 0; i < OTHERS; i++)
        CHECK(mmap(NULL, PAGE_SIZE, i & 1 ? PROT_READ : PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    struct page **pages = (struct page **)malloc(2 * PIECES * sizeof *pages), **some = (struct page **)malloc(PIECES * sizeof *some);
    for (int i = 0; i < 2 * PIECES; i++) CHECK((pages[i] = alloc_page(GFP_KERNEL)) != NULL);
    for (int i = 0; i < PIECES; i++) some[i] = pages[2 * i];
    CHECK(vmap(some, PIECES, VM_MAP, PAGE_KERNEL) == NULL);
    CHECK(mappings() < OTHERS + 1000);
    CHECK(mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
    void *few = vmap(some, 1000, VM_MAP, PAGE_KERNEL), *area = vmalloc(100 * PAGE_SIZE);
    CHECK(few != NULL && area != NULL && heapwright_kernel_check() == 0);
    vfree(area);
    vunmap(few);
    for (int i = 0; i < 2 * PIECES; i++) __free_page(pages[i]);
    CHECK(heapwright_kernel_check() == 0);
    return 0;
}
