// heapwright_kernel_zs_classes: the kernel's columns, a line for each class, and their sum
#include <unistd.h>

#include "check.h"

int main(void) {
    struct zs_pool *pool = zs_create_pool("pool");
    unsigned long handles[100];
    for (int i = 0; i < 100; i++) handles[i] = zs_malloc(pool, 100, GFP_KERNEL);
    char name[] = "/tmp/classes-XXXXXX", line[400];
    int file = mkstemp(name), classes = 0, found = 0, total = 0;
    CHECK(file >= 0);
    unlink(name);
    heapwright_kernel_zs_classes(pool, file);
    lseek(file, 0, SEEK_SET);
    FILE *text = fdopen(file, "r");
    CHECK(fgets(line, sizeof line, text) && strstr(line, "class") && strstr(line, "pages_per_zspage") && strstr(line, "freeable"));
    while (fgets(line, sizeof line, text)) {
        unsigned index, size, groups[11], allocated, used, pages, chain;
        int read = sscanf(line, "%u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u %u", &index, &size, groups, groups + 1, groups + 2,
                          groups + 3, groups + 4, groups + 5, groups + 6, groups + 7, groups + 8, groups + 9, groups + 10, &allocated, &used,
                          &pages, &chain);
        total += strncmp(line, " Total", 6) == 0;
        if (read != 17) continue;
        classes++;
        CHECK(used == (index == zs_lookup_class_index(pool, 100) ? 100 : 0));
        if (!used) continue;
        CHECK(size >= 108 && allocated >= used && pages == zs_get_total_pages(pool) && pages % chain == 0);
        found++;
    }
    CHECK(classes == 119 && found == 1 && total == 1);
    for (int i = 0; i < 100; i++) zs_free(pool, handles[i]);
    zs_destroy_pool(pool);
    return 0;
}
