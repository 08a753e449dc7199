// own-mappings: 40 MiB that are shared with children, and a little of malloc.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    size_t size = 40 << 20;
    char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t at = 0; at < size; at += 1 << 20) {
        memset(shared + at, 1, 1 << 20);
        char *list[200];
        for (int i = 0; i < 200; i++) list[i] = malloc(100 + i), memset(list[i], 1, 100);
        for (int i = 0; i < 200; i++) free(list[i]);
        usleep(3000);
    }
    return 0;
}
