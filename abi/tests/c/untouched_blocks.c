// survival: of a thousand blocks of which a byte each is touched only those pages are resident
// also: glibc
#include <sys/prctl.h>

#include "check.h"

int main(void) {
    if (prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0) SKIP("in a sandbox nobody asks what is resident");
    char pages[100] = "";
    int descriptor = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY);
    if (descriptor >= 0 && read(descriptor, pages, sizeof pages - 1) > 0 && strstr(pages, "[always]"))
        SKIP("the kernel uses huge pages whether it is asked or not");
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
