// heapwright_kernel_vmallocinfo: a line for each area, with its addresses and pages
#include <unistd.h>

#include "check.h"

int main(void) {
    unsigned char *area = vmalloc(10000);
    char name[] = "/tmp/vmallocinfo-XXXXXX", line[300], start[40];
    int file = mkstemp(name), found = 0;
    CHECK(file >= 0);
    unlink(name);
    heapwright_kernel_vmallocinfo(file);
    lseek(file, 0, SEEK_SET);
    FILE *text = fdopen(file, "r");
    snprintf(start, sizeof start, "0x%016lx-0x%016lx", (unsigned long)area, (unsigned long)area + 4 * PAGE_SIZE);
    while (fgets(line, sizeof line, text))
        found += strncmp(line, start, strlen(start)) == 0 && strstr(line, " 16384 ") && strstr(line, "pages=3 vmalloc");
    CHECK(found == 1);
    vfree(area);
    return 0;
}
