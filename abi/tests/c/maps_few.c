// survival: vm.max_map_count: blocks freed in a checkerboard and given back do not split the address space into thousands of mappings
// also: glibc
#include <malloc.h>

#include "maps.h"

enum { COUNT = 6000 };

int main(void) {
    static char *blocks[COUNT];
    int before = mappings();
    for (int i = 0; i < COUNT; i++) {
        CHECK((blocks[i] = malloc(60000)) != NULL, "malloc(60000) is NULL");
        blocks[i][0] = 1;
    }
    for (int i = 0; i < COUNT; i += 2) free(blocks[i]);
    malloc_trim(0);
    for (int i = 0; i < COUNT; i += 4) CHECK((blocks[i] = calloc(1, 60000)) != NULL, "calloc(60000) is NULL");
    malloc_trim(0);
    int after = mappings();
    CHECK(after < before + 200, "%d mappings, %d at the start", after, before);
    return 0;
}
