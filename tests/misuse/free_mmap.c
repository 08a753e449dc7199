// misuse: free of the program's own mapping, aligned to 2 MiB as a large block can be
// expect: ^heapwright: free\b.*{ptr}
#include <sys/mman.h>

#include "misuse.h"

int main(void) {
    char *mapping = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapping != MAP_FAILED, "mmap fails");
    mapping += -(uintptr_t)mapping & (2 * MIB - 1);
    mapping[0] = 1;
    free(shown(mapping));
    return 0;
}
