// heapwright_kernel_slabinfo: the kernel's header, and a line for each cache with its objects
#include <unistd.h>

#include "check.h"

int main(void) {
    struct kmem_cache *cache = kmem_cache_create("my_cache", 40, 0, SLAB_NO_MERGE, NULL);
    void *object = kmem_cache_alloc(cache, GFP_KERNEL);
    char name[] = "/tmp/slabinfo-XXXXXX", line[300];
    int file = mkstemp(name);
    CHECK(file >= 0);
    unlink(name);
    heapwright_kernel_slabinfo(file);
    lseek(file, 0, SEEK_SET);
    FILE *text = fdopen(file, "r");
    CHECK(fgets(line, sizeof line, text) && strcmp(line, "slabinfo - version: 2.1\n") == 0);
    CHECK(fgets(line, sizeof line, text) && strncmp(line, "# name ", 7) == 0);
    int found = 0;
    while (fgets(line, sizeof line, text)) {
        char called[64];
        unsigned long active, objects, size, per_slab, pages;
        CHECK(sscanf(line, "%63s %lu %lu %lu %lu %lu", called, &active, &objects, &size, &per_slab, &pages) == 6);
        if (strcmp(called, "my_cache") != 0) continue;
        found++;
        // 102 of 40 bytes in a page, as the kernel has it.
        CHECK(active >= 1 && objects >= per_slab && size == 40 && per_slab == 102 && pages == 1);
    }
    CHECK(found == 1);
    kmem_cache_free(cache, object);
    kmem_cache_destroy(cache);
    return 0;
}
