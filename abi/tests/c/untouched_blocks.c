// survival: of a thousand blocks of which a byte each is touched only those pages are resident
// also: glibc
#include "check.h"

int main(void) {
    if (unasked_huge_pages()) SKIP("the kernel uses huge pages whether it is asked or not");
    static const size_t sizes[] = {100000, 600000, MIB};
    for (int kind = 0; kind < 3; kind++) {
        size_t before = resident(), size = sizes[kind], count = 600 * MIB / size;
        for (size_t i = 0; i < count; i++) {
            char *block = malloc(size);
            CHECK(block != NULL, "malloc(%zu) is NULL", size);
            *(char *)hide(block) = 1;
        }
        size_t after = resident();
        CHECK(after < before + 64 * MIB, "%zu blocks of %zu bytes make %zu KiB resident", count, size, (after - before) / KIB);
    }
    return 0;
}
