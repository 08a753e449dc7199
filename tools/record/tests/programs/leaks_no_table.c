/* Allocates where there was no block yet, with less memory left than the table of live blocks needs for that. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(void) {
    size_t pages;
    struct rlimit limit;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%zu", &pages) != 1) return 1;
    fclose(file);
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = pages * (size_t)sysconf(_SC_PAGESIZE) + (16 << 20);
    if (setrlimit(RLIMIT_AS, &limit)) return 2;
    return malloc(1 << 20) == NULL;
}
