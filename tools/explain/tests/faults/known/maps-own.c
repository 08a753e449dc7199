// own-mappings: keeps its data in memory that it maps itself; malloc has little.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
    for (int i = 0; i < 16; i++) {
        char *map = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(map, 1, 2 << 20);
        for (int j = 0; j < 3000; j++) {
            char *small = malloc(100);
            memset(small, 2, 100);
            free(small);
        }
        usleep(5000);
    }
    return 0;
}
